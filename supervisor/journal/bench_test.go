package journal

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ccmux/ccmux/channel/wire"
	"github.com/ccmux/ccmux/supervisor/router"
)

// words is a vocabulary of 20,000 words whose frequencies fall as in language.
var words = sync.OnceValue(func() []string {
	r := rand.New(rand.NewPCG(1, 2))
	w := make([]string, 20_000)
	for i := range w {
		b := make([]byte, 3+r.IntN(7))
		for k := range b {
			b[k] = 'a' + byte(r.IntN(26))
		}
		w[i] = string(b)
	}
	return w
})

// talk makes texts of about size bytes.
type talk struct {
	r *rand.Rand
	z *rand.Zipf
}

func newTalk() *talk {
	r := rand.New(rand.NewPCG(3, 4))
	return &talk{r, rand.NewZipf(r, 1.1, 5, 19_999)}
}

func (k *talk) text(size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(words()[k.z.Uint64()])
		b.WriteByte(' ')
	}
	return b.String()
}

// percentiles reports p50 and p99 of times under a name.
func percentiles(b *testing.B, name string, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, name+"-p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Nanoseconds())/1e3, name+"-p99-µs")
}

// floor is what the disk itself takes for a durable write: bytes appended to a
// file and synced. It is measured in turn with the commits, under the same load.
type floor struct {
	f     *os.File
	data  []byte
	times []time.Duration
}

func newFloor(b *testing.B, dir string, size int) *floor {
	b.Helper()
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return &floor{f: f, data: make([]byte, size)}
}

func (fl *floor) append(b *testing.B) {
	b.Helper()
	start := time.Now()
	if _, err := fl.f.Write(fl.data); err != nil {
		b.Fatal(err)
	}
	if err := fl.f.Sync(); err != nil {
		b.Fatal(err)
	}
	fl.times = append(fl.times, time.Since(start))
}

// send is what one send costs the journal: the event, and the docs of thread
// and delivery.
func (tl *timeline) send(k *talk, n int) (router.Event, []router.Doc) {
	id := fmt.Sprintf("t-%d", n/4)
	e := tl.post(n, id, k.text(1000))
	return e, []router.Doc{
		doc("meta", "", true, `{"seq":1}`),
		doc("thread", id, true, `{"id":"t-1","title":"something to do","messages":["1"]}`),
		doc("delivery", string(messageID(n)), true, `[{"peer":"p-2","state":"written","since":"2026-03-01T12:00:00Z"}]`),
	}
}

// BenchmarkCommitOne is one sender with messages of 1 KB.
func BenchmarkCommitOne(b *testing.B) {
	dir := newDir(b)
	j := mustOpen(b, dir, Options{})
	tl, k := &timeline{at: day}, newTalk()
	fl := newFloor(b, dir, 1000)
	var times []time.Duration
	used := cpuTime(b)
	for b.Loop() {
		fl.append(b)
		e, docs := tl.send(k, int(tl.last))
		events := []router.Event{e}
		start := time.Now()
		if err := j.Commit(context.Background(), events, docs); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-used).Microseconds())/float64(len(times)), "CPU-µs/message")
	percentiles(b, "commit", times)
	percentiles(b, "floor", fl.times)
	b.ReportMetric(float64(j.w.pages)/float64(len(times)), "pages/commit")
}

// BenchmarkCommitBatch is 128 messages in one transaction.
func BenchmarkCommitBatch(b *testing.B) {
	const size = 128
	dir := newDir(b)
	j := mustOpen(b, dir, Options{})
	tl, k := &timeline{at: day}, newTalk()
	var times []time.Duration
	fl := newFloor(b, dir, size*1000)
	var total time.Duration
	used := cpuTime(b)
	for b.Loop() {
		fl.append(b)
		var events []router.Event
		var docs []router.Doc
		for range size {
			e, d := tl.send(k, int(tl.last))
			events, docs = append(events, e), append(docs, d...)
		}
		start := time.Now()
		if err := j.Commit(context.Background(), events, docs); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
		total += times[len(times)-1]
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime(b)-used).Microseconds())/float64(size*len(times)), "CPU-µs/message")
	percentiles(b, "commit", times)
	percentiles(b, "floor", fl.times)
	b.ReportMetric(float64(size*len(times))/total.Seconds(), "messages/s")
}

// million fills a journal. CCMUX_BENCH_MESSAGES says with how many messages;
// CCMUX_BENCH_DIR keeps it for the next run.
func million(b *testing.B) (dir string, n int) {
	b.Helper()
	n = 1_000_000
	if s := os.Getenv("CCMUX_BENCH_MESSAGES"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	dir = newDir(b)
	if keep := os.Getenv("CCMUX_BENCH_DIR"); keep != "" {
		dir = filepath.Join(keep, strconv.Itoa(n))
	}
	j, err := Open(b.Context(), dir, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	tl, k := &timeline{at: day, last: j.w.last}, newTalk()
	for tl.last < uint64(n) {
		var events []router.Event
		for range min(1000, uint64(n)-tl.last) {
			i := int(tl.last)
			events = append(events, tl.post(i, fmt.Sprintf("t-%d", i/4), k.text(200), func(m *router.Message) {
				m.From, m.To = router.PeerID(fmt.Sprintf("p-%d", i%7)), []router.PeerID{router.PeerID(fmt.Sprintf("p-%d", i%11))}
				m.Kind = wire.KindNote
				if i%5000 == 0 {
					m.Content += " needle"
				}
			}))
		}
		if err := j.Commit(context.Background(), events, []router.Doc{doc("meta", "", true, `{}`)}); err != nil {
			b.Fatal(err)
		}
	}
	return dir, n
}

// BenchmarkSearch looks through a million messages; see million.
func BenchmarkSearch(b *testing.B) {
	dir, n := million(b)
	j := mustOpen(b, dir, Options{})
	if err := j.index.catchUp(b.Context()); err != nil {
		b.Fatal(err)
	}
	common, middle := words()[0], words()[300]
	for _, c := range []struct {
		name string
		q    Query
	}{
		{"everything", Query{Newest: true}},
		{"common", Query{Text: common + " ", Newest: true}},
		{"common-as-prefix", Query{Text: common, Newest: true}},
		{"prefix-of-2", Query{Text: common[:2], Newest: true}},
		{"prefix-of-4", Query{Text: (common + middle)[:4], Newest: true}},
		{"two-words", Query{Text: common + " " + middle, Newest: true}},
		{"phrase", Query{Text: `"` + common + " " + common + `"`, Newest: true}},
		{"rare", Query{Text: "needle", Newest: true}},
		{"nothing", Query{Text: "nosuchword", Newest: true}},
		{"peer", Query{Peer: "p-3", Newest: true}},
		{"common-of-peer", Query{Text: common, Peer: "p-3", Newest: true}},
		{"common-in-thread", Query{Text: common, Thread: "t-5", Newest: true}},
		{"page-in-the-middle", Query{Text: common, Before: messageID(n / 2), Newest: true}},
		{"ranked-common", Query{Text: common}},
		{"ranked-rare", Query{Text: "needle"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, _, err := j.History(b.Context(), c.q); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			percentiles(b, "search", times)
			b.ReportMetric(resident(), "RSS-MB")
		})
	}
}

// BenchmarkStart opens a journal with a million messages and loads what is open.
func BenchmarkStart(b *testing.B) {
	dir, _ := million(b)
	size := int64(0)
	for b.Loop() {
		j, err := Open(b.Context(), dir, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, _, _, err := j.LoadOpen(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s, err := j.Size(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		size = s.Database
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(size)/1e6, "database-MB")
	b.ReportMetric(resident(), "RSS-MB")
}

// cpuTime is what the process has used, so that a figure means something on a
// machine that has other work too. It includes making the texts.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// resident is how much memory the process has in MB; 0 where it does not tell.
func resident() float64 {
	runtime.GC()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseFloat(strings.Fields(string(b))[1], 64)
	if err != nil {
		return 0
	}
	return pages * float64(os.Getpagesize()) / 1e6
}
