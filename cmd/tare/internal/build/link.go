package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/file"
)

// linkKit contains everything that is needed to link a test binary again
// without the go command: the recorded command of the linker, and its files
// outside go's build cache. See docs/decisions/linking.md.
type linkKit struct {
	// Tool is the linker, Env the variables that go set for it, and Args all its
	// arguments except -o. Files of the kit have paths relative to it.
	Tool      string
	Env, Args []string

	// dir is the directory of the kit, in which the linker runs.
	dir string
	// broken is set when the recorded command has failed. From then on go test -c
	// links.
	broken atomic.Bool
}

// recordLink finds the linker's command in the output of go test -c -x, and
// moves the files that it needs from the work directory to dir. It returns nil
// if anything is not as expected. Then go test -c links each function order.
func recordLink(printed, work, dir string) *linkKit {
	folders, err := filepath.Glob(filepath.Join(work, "go-build*"))
	if err != nil || len(folders) != 1 {
		return nil
	}
	kit := &linkKit{dir: dir}
	for line := range strings.Lines(printed) {
		words, ok := splitPrinted(strings.TrimSuffix(line, "\n"))
		if !ok {
			continue
		}
		first := slices.IndexFunc(words, func(w string) bool { return !envAssignment(w) })
		if first >= 0 && first+3 < len(words) && words[first] == "sh" { // see noLink
			words = slices.Delete(words, first, first+3)
		}
		if first < 0 || first+2 >= len(words) || words[first+1] != "-o" || strings.TrimSuffix(filepath.Base(words[first]), ".exe") != "link" {
			continue
		}
		if kit.Tool != "" {
			return nil // two links: not the expected test binary
		}
		kit.Tool, kit.Args = words[first], words[first+3:]
		kit.Env = nil
		for _, pair := range words[:first] {
			name, value, _ := strings.Cut(pair, "=")
			kit.Env = append(kit.Env, name+"="+strings.Trim(value, "'"))
		}
	}
	if kit.Tool == "" || len(kit.Args) == 0 || os.MkdirAll(dir, 0o700) != nil {
		return nil
	}
	if kit.collect(folders[0]) != nil {
		return nil
	}
	return kit
}

func envAssignment(word string) bool {
	name, value, ok := strings.Cut(word, "=")
	return ok && envNameForm.MatchString(name) && strings.HasPrefix(value, "'") && strings.HasSuffix(value, "'")
}

// splitPrinted splits a command as cmd/go -x prints it. Words with spaces or
// special characters are quoted as Go strings, values of environment variables
// with single quotes.
func splitPrinted(line string) (words []string, ok bool) {
	for {
		line = strings.TrimLeft(line, " ")
		switch {
		case line == "":
			return words, true
		case line[0] == '"':
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				return nil, false
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, false
			}
			words, line = append(words, word), line[len(quoted):]
		default:
			end := strings.IndexByte(line, ' ')
			if i := strings.Index(line, "='"); i >= 0 && (end < 0 || i < end) {
				if j := strings.IndexByte(line[i+2:], '\''); j >= 0 {
					end = i + 2 + j + 1
				}
			}
			if end < 0 || end >= len(line) {
				return append(words, line), true
			}
			words, line = append(words, line[:end]), line[end:]
		}
	}
}

// collect moves the files of go's work directory into the kit: the archives of
// this build, and the list of all archives.
func (k *linkKit) collect(work string) error {
	moved := make(map[string]string)
	keep := func(path string) (string, error) {
		path = strings.Replace(path, "$WORK", work, 1)
		if name, ok := moved[path]; ok || !within(path, work) {
			return cmp.Or(name, path), nil
		}
		name := fmt.Sprintf("%03d%s", len(moved), filepath.Ext(path))
		moved[path] = name
		return name, os.Rename(path, filepath.Join(k.dir, name))
	}
	for i, arg := range k.Args {
		if !strings.Contains(arg, "$WORK") {
			continue
		}
		var err error
		switch {
		case i > 0 && k.Args[i-1] == "-importcfg":
			var list []byte
			if list, err = file.ReadNamed(strings.Replace(arg, "$WORK", work, 1)); err != nil {
				return err
			}
			var out strings.Builder
			for line := range strings.Lines(string(list)) {
				line = strings.TrimRight(line, "\r\n")
				if rest, ok := strings.CutPrefix(line, "packagefile "); ok {
					name, path, _ := strings.Cut(rest, "=")
					if path, err = keep(path); err != nil {
						return err
					}
					line = "packagefile " + name + "=" + path
				}
				out.WriteString(line + "\n")
			}
			if err := os.WriteFile(filepath.Join(k.dir, "importcfg"), []byte(out.String()), 0o600); err != nil {
				return err
			}
			k.Args[i] = "importcfg"
		case i == len(k.Args)-1:
			if k.Args[i], err = keep(arg); err != nil {
				return err
			}
		default:
			return fmt.Errorf("unknown use of the work directory: %s", arg)
		}
	}
	return nil
}

// Link returns the linker's input for the test binary of a package that Build
// has built: its directory, its tool and its arguments except -o. ok is false
// if they are not known, as for a kept binary.
func (v *Variant) Link(pkg string) (dir, tool string, args []string, ok bool) {
	v.mu.Lock()
	t := v.tests[pkg]
	v.mu.Unlock()
	if t == nil || t.kit == nil {
		return "", "", nil, false
	}
	return t.kit.dir, t.kit.Tool, t.kit.Args, true
}

// Compiled compiles the tests of a package with flags of the compiler for some
// packages, by import path, and further flags of the go command. It returns the
// compiler's output and removes the binary.
func (v *Variant) Compiled(ctx context.Context, pkg, gcflags string, packages []string, flags ...string) (string, error) {
	args := []string{"test", "-c", "-vet=off", "-o", os.DevNull}
	args = append(append(args, v.flags.list()...), flags...)
	for _, p := range packages {
		args = append(args, "-gcflags="+p+"="+gcflags)
	}
	stdout, stderr, err := v.goCommand(ctx, nil, append(args, pkg)...)
	if err != nil {
		return "", v.failPackage(pkg, "compile", printed(stdout, stderr, err), err)
	}
	return string(stdout) + string(stderr), nil
}

// Profile is the file of the profile that guides the compiler in the tests of a
// package that Packages listed. It is empty without a profile.
func (v *Variant) Profile(pkg string) string {
	switch name := v.flags.pgo; name {
	case "off":
		return ""
	case "", "auto":
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.known[pkg].Profile
	default:
		return absolute(v.Dir, name)
	}
}

// Root is the directory of the variant's source: the root of the repository or
// of a worktree. It is empty for a kept binary.
func (v *Variant) Root() string {
	if v.source == nil {
		return ""
	}
	return v.source.root
}

// run links. The recorded arguments contain the user's -ldflags, and tare's
// follow them.
func (k *linkKit) run(ctx context.Context, v *Variant, out string, words []string) (stdout, stderr []byte, err error) {
	last := len(k.Args) - 1
	args := slices.Concat([]string{k.Tool, "-o", out}, k.Args[:last], words, k.Args[last:])
	return v.builder.Exec(ctx, Command{Dir: k.dir, Env: setenv(v.env, append(k.Env, "PWD="+k.dir)...), Args: args})
}

func (v *Variant) link(ctx context.Context, t *test, seed uint64) (Binary, error) {
	b := v.builder
	select {
	case b.linking <- struct{}{}:
		defer func() { <-b.linking }()
	case <-ctx.Done():
		return Binary{}, context.Cause(ctx)
	}
	binary := t.base
	binary.Layout = seed
	var words []string
	if seed != 0 {
		folder := filepath.Dir(filepath.Dir(t.base.Path))
		binary.Path = filepath.Join(folder, fmt.Sprintf("%03d", t.links.Add(1)), filepath.Base(t.base.Path))
		if err := os.MkdirAll(filepath.Dir(binary.Path), 0o700); err != nil {
			return Binary{}, v.failPackage(binary.Pkg, "link", "", err)
		}
		// The linker takes an int64. Two seeds that differ only in the highest bit
		// give one function order.
		words = append(words, "-randlayout="+strconv.FormatUint(max(1, seed&math.MaxInt64), 10))
	}
	if !b.Debug {
		words = append(words, "-w")
	}
	start := time.Now()
	if t.kit != nil && !t.kit.broken.Load() {
		kept := v.keptLink(t.kit, seed)
		if kept.copyTo(binary.Path) {
			return binary, nil
		}
		if _, _, err := t.kit.run(ctx, v, binary.Path, words); err == nil && exists(binary.Path) {
			binary.LinkTime = time.Since(start)
			kept.add(binary.Path)
			return binary, nil
		}
		if ctx.Err() != nil {
			return Binary{}, context.Cause(ctx)
		}
		// go removes files from its build cache if they were not used for days.
		t.kit.broken.Store(true)
		start = time.Now()
	}
	stdout, stderr, err := v.goCommand(ctx, nil, v.goBuild(binary.Pkg, words, "-o", binary.Path)...)
	switch {
	case ctx.Err() != nil:
		return Binary{}, context.Cause(ctx)
	case err != nil:
		return Binary{}, v.failPackage(binary.Pkg, "link", printed(stdout, stderr, err), err)
	case !exists(binary.Path):
		return Binary{}, v.failPackage(binary.Pkg, "link", printed(stdout, stderr, ErrNoTests), errors.New("no binary was made"))
	}
	binary.LinkTime = time.Since(start)
	return binary, nil
}
