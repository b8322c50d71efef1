package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestComplaintsHoldNoEscapeSequences(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	write(t, path, "[[session]]\nname = \"\x1b]0;pwned\x07\x1b[31m\"\n")
	_, err := ReadConfig(path)
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\x07") {
		t.Errorf("the complaint is %q; want one without control characters", err)
	}
}

func TestFindGoesUpToTheConfiguration(t *testing.T) {
	root, _ := filepath.EvalSymlinks(t.TempDir())
	write(t, filepath.Join(root, FileName), "[[session]]\nname = \"api\"\n")
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := Find(deep)
	if err != nil {
		t.Fatal(err)
	}
	if p.Root != root || p.Config == nil || p.Config.Sessions[0].Name != "api" {
		t.Errorf("Find = %+v; want root %s with session api", p, root)
	}
}

func TestFindWithoutConfigurationIsTheFolderItself(t *testing.T) {
	root, _ := filepath.EvalSymlinks(t.TempDir())
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	p, err := Find(link)
	if err != nil || p.Root != root || p.Config != nil {
		t.Errorf("Find(link) = %+v, %v; want the real folder %s", p, err, root)
	}
}

func TestBadConfigurationSaysWhere(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":   {"[[session]]\nname = \"a\"\ncolour = \"red\"\n", "colour"},
		"syntax":        {"[[session]\n", "1|"},
		"twice":         {"[[session]]\nname='a'\n[[session]]\nname='a'\n", `two sessions are named "a"`},
		"bad name":      {"[[session]]\nname='a b'\n", "not a usable name"},
		"reserved name": {"[[session]]\nname='you'\n", "reserved"},
		"approver":      {"[[session]]\nname='a'\napprover={by='z',tool='Bash'}\n", "name another session"},
		"no bounds":     {"[[session]]\nname='a'\napprover={by='b'}\n[[session]]\nname='b'\n", "needs a tool or a match"},
		"scrollback":    {"[[session]]\nname='a'\nscrollback=9000000\n", "use 0 to 1000000 lines"},
		"wrong type":    {"retention = 'long'\n", "a string stands where int is wanted"},
		"bad effect":    {"[[rule]]\neffect='permit'\n", "use allow, deny or ask"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			write(t, path, c.text)
			_, err := ReadConfig(path)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error = %v; want one with %q", err, c.want)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	root, _ := filepath.EvalSymlinks(t.TempDir())
	for _, d := range []string{"frontend", "backend", "x/api", "y/api"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(root, "file"), "")
	p := Project{Root: root}
	for name, c := range map[string]struct {
		args []string
		want string // names and folders, or the error
		bad  bool
	}{
		"folders":        {args: []string{"frontend", "backend"}, want: "frontend=frontend backend=backend"},
		"name and dir":   {args: []string{"web=frontend"}, want: "web=frontend"},
		"path":           {args: []string{"x/api"}, want: "api=x/api"},
		"same twice":     {args: []string{"frontend", "frontend"}, want: `two sessions would be named "frontend"`, bad: true},
		"same basename":  {args: []string{"x/api", "y/api"}, want: `two sessions would be named "api"`, bad: true},
		"no such folder": {args: []string{"nowhere"}, want: "neither a session", bad: true},
		"missing dir":    {args: []string{"a=nowhere"}, want: "does not exist", bad: true},
		"a file":         {args: []string{"a=file"}, want: "is not a folder", bad: true},
		"nothing":        {want: "no session to start", bad: true},
		"reserved":       {args: []string{"you=frontend"}, want: "reserved", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			specs, err := p.Resolve(c.args, root)
			if c.bad {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error = %v; want one with %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, s := range specs {
				rel, _ := filepath.Rel(root, s.Dir)
				got = append(got, s.Name+"="+rel)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("Resolve = %v; want %s", got, c.want)
			}
		})
	}
}

func TestNeedsTrust(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	write(t, path, "leader='ctrl+a'\n[[session]]\nname='a'\ndir='sub'\n")
	f, err := ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.NeedsTrust(); len(got) != 0 {
		t.Errorf("names and folders need trust: %v", got)
	}
	write(t, path, "[[session]]\nname='a'\ndir='../b'\ncommand=['x']\nargs=['y']\nenv={A='1'}\nclipboard=true\nscrollback=50\napprover={by='b',tool='Bash'}\n[[session]]\nname='b'\n[[rule]]\neffect='allow'\ntool='Bash'\n[limits]\nchain_depth=3\n")
	if f, err = ReadConfig(path); err != nil {
		t.Fatal(err)
	}
	if got := f.NeedsTrust(); len(got) != 8 {
		t.Errorf("NeedsTrust lists %d things, want 8: %v", len(got), got)
	}
}

func TestSocketFolderMustBePrivate(t *testing.T) {
	run := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", run)
	p := Project{Root: "/some/where"}
	if _, err := p.Socket(); err != nil {
		t.Fatalf("fresh folder: %v", err)
	}
	dir := filepath.Join(run, "ccmux")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Socket(); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("open folder: error = %v; want one that says chmod 700", err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Socket(); err == nil || !strings.Contains(err.Error(), "not a plain folder") {
		t.Errorf("link: error = %v; want a refusal", err)
	}
}

// TestTheReadmesConfigurationIsUsable: what a newcomer copies works.
func TestTheReadmesConfigurationIsUsable(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(readme), "### ccmux.toml\n")
	if !found {
		t.Fatal("the README shows no ccmux.toml")
	}
	var toml strings.Builder
	for line := range strings.Lines(text) {
		if block, ok := strings.CutPrefix(line, "    "); ok {
			toml.WriteString(block)
		} else if strings.TrimSpace(line) != "" {
			break
		}
	}
	path := filepath.Join(t.TempDir(), FileName)
	write(t, path, toml.String())
	f, err := ReadConfig(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Sessions) < 2 || len(f.Rules) < 2 {
		t.Errorf("it has %d sessions and %d rules:\n%s", len(f.Sessions), len(f.Rules), toml.String())
	}
}
