//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Version is one release of claude the tests run against.
type Version struct {
	Name   string // as npm knows it
	Manual string // the permission mode in which it asks for everything
	Flags  string // the key of .claude.json under which it caches feature flags
	Auto   bool   // it has auto mode, and starts in it
	path   string
}

var (
	newest = &Version{Name: "2.1.332", Manual: "manual", Flags: "cachedFeatureFlags", Auto: true}
	oldest = &Version{Name: "2.1.197", Manual: "default", Flags: "cachedGrowthBookFeatures"}
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == stubCommand {
		os.Exit(runStub(os.Args[2:]))
	}
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
	code := m.Run()
	if os.Getenv("CCMUX_E2E_BINARY") == "" {
		_ = os.RemoveAll(filepath.Dir(ccmuxPath))
	}
	os.Exit(code)
}

// prepare makes sure of everything the tests need from outside.
func prepare() error {
	if _, err := exec.LookPath("tmux"); err != nil {
		return fmt.Errorf("tmux is missing: it is the terminal of these tests; install it with the system's package manager")
	}
	cmd := exec.Command("./install.sh", newest.Name, oldest.Name)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("install claude: %w", err)
	}
	for line := range strings.Lines(out.String()) {
		version, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, v := range []*Version{newest, oldest} {
			if v.Name == version {
				v.path = path
			}
		}
	}
	if newest.path == "" || oldest.path == "" {
		return fmt.Errorf("install.sh named no binary for %s or %s: %q", newest.Name, oldest.Name, out.String())
	}
	return buildCcmux()
}

// ccmuxPath is the program under test: $CCMUX_E2E_BINARY, or one built once.
var ccmuxPath string

func buildCcmux() error {
	if path := os.Getenv("CCMUX_E2E_BINARY"); path != "" {
		var err error
		ccmuxPath, err = filepath.Abs(path)
		return err
	}
	dir, err := os.MkdirTemp("", "ccmux-e2e-bin-")
	if err != nil {
		return err
	}
	ccmuxPath = filepath.Join(dir, "ccmux")
	if out, err := exec.Command("go", "build", "-o", ccmuxPath, "github.com/ccmux/ccmux/cmd/ccmux").CombinedOutput(); err != nil {
		return fmt.Errorf("build ccmux: %w: %s", err, out)
	}
	return nil
}

// each runs a test once per version, in parallel.
func each(t *testing.T, test func(*testing.T, *Version)) {
	t.Helper()
	for _, v := range []*Version{newest, oldest} {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			test(t, v)
		})
	}
}
