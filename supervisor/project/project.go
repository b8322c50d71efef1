package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ccmux/ccmux/channel/wire"
)

// Project is one project on this machine.
type Project struct {
	Root   string // real path
	Config *File  // nil when there is no ccmux.toml, or Fault says what is wrong with it
	Fault  error
}

// Find returns the project that dir belongs to: the nearest folder upwards with
// a ccmux.toml, else dir itself. A ccmux.toml that cannot be used is the project's
// Fault, and no error: what runs already has to be reached all the same.
func Find(dir string) (Project, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Project{}, fmt.Errorf("find project: %w", err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return Project{}, fmt.Errorf("find project: %w", err)
	}
	for at := real; ; at = filepath.Dir(at) {
		path := filepath.Join(at, FileName)
		_, err := os.Stat(path)
		if err == nil {
			p := Project{Root: at}
			p.Config, p.Fault = ReadConfig(path)
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return Project{}, fmt.Errorf("find project: %w", err)
		}
		if at == filepath.Dir(at) {
			return Project{Root: real}, nil
		}
	}
}

// Key names the project on this machine: its folder's name for people, and a
// hash of its path.
func (p Project) Key() string {
	sum := sha256.Sum256([]byte(p.Root))
	base := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, filepath.Base(p.Root))
	if len(base) > 24 {
		base = base[:24]
	}
	return base + "-" + hex.EncodeToString(sum[:5])
}

// Resolve makes sessions of the arguments of `ccmux up`: a name from the
// configuration, name=dir, or the name of a folder in wd or in the project. No
// arguments means every session of the configuration. It fails before anything
// starts: on a name twice, a folder that is missing, or nothing to start.
func (p Project) Resolve(args []string, wd string) ([]wire.SessionSpec, error) {
	if p.Fault != nil {
		return nil, p.Fault
	}
	var specs []wire.SessionSpec
	if len(args) == 0 {
		if p.Config == nil || len(p.Config.Sessions) == 0 {
			return nil, errors.New("no session to start: name folders (ccmux up frontend backend), or list sessions in " + FileName)
		}
		for _, s := range p.Config.Sessions {
			specs = append(specs, p.fromConfig(s))
		}
	}
	for _, arg := range args {
		spec, err := p.resolveOne(arg, wd)
		if err != nil {
			return nil, err
		}
		specs = append(specs, spec)
	}
	return specs, check(specs)
}

func (p Project) fromConfig(s Session) wire.SessionSpec {
	dir := s.Dir
	if dir == "" {
		dir = s.Name
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Root, dir)
	}
	spec := wire.SessionSpec{Name: s.Name, Dir: dir, Command: s.Command, Args: s.Args, Scrollback: s.Scrollback, Clipboard: s.Clipboard}
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		spec.Env = append(spec.Env, k+"="+s.Env[k])
	}
	spec.Fresh = s.Resume != nil && !*s.Resume
	return spec
}

func (p Project) resolveOne(arg, wd string) (wire.SessionSpec, error) {
	name, dir, given := strings.Cut(arg, "=")
	if arg == "" || given && dir == "" {
		return wire.SessionSpec{}, fmt.Errorf("%q names no folder: say NAME, a folder, or NAME=DIR", wire.CleanLine(arg, 80))
	}
	if given {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(wd, dir)
		}
		return wire.SessionSpec{Name: name, Dir: dir}, nil
	}
	if p.Config != nil {
		for _, s := range p.Config.Sessions {
			if s.Name == arg {
				return p.fromConfig(s), nil
			}
		}
	}
	for _, base := range []string{wd, p.Root} {
		dir := filepath.Join(base, arg)
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return wire.SessionSpec{Name: filepath.Base(dir), Dir: dir}, nil
		}
	}
	return wire.SessionSpec{}, fmt.Errorf("%q is neither a session of %s nor a folder here: "+
		"make the folder, or say where it works with %s=DIR", wire.CleanLine(arg, 80), FileName, wire.CleanLine(arg, 80))
}

func check(specs []wire.SessionSpec) error {
	at := map[string]string{}
	for i := range specs {
		s := &specs[i]
		if err := wire.CheckName(s.Name); err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(s.Dir)
		if err != nil {
			return fmt.Errorf("session %s: its folder %s does not exist: make it, or name another with %s=DIR", s.Name, s.Dir, s.Name)
		}
		if info, err := os.Stat(real); err != nil || !info.IsDir() {
			return fmt.Errorf("session %s: %s is not a folder", s.Name, s.Dir)
		}
		s.Dir = real
		if first, twice := at[s.Name]; twice {
			return fmt.Errorf("two sessions would be named %q (%s and %s): give one another name with NAME=%s", s.Name, first, real, real)
		}
		at[s.Name] = real
	}
	return nil
}
