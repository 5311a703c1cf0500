package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tarebench/tare/internal/session"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata/script")

// TestMain makes this binary the command "tare" of the scripts. It sees a
// machine that disturbs no block: on a host that steals or swaps, no number of
// blocks would do, and the scripts are not about the host. "tare-swapping"
// sees one that disturbs every block.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tare":          func() { program(session.Host{Tree: fstest.MapFS{}}) },
		"tare-swapping": func() { program(session.Host{Tree: new(swapping)}) },
	})
}

// swapping is the tree of a machine that swaps a thousand pages whenever one
// looks.
type swapping struct{ pages int }

func (s *swapping) Open(name string) (fs.File, error) {
	s.pages += 1000
	return fstest.MapFS{"proc/vmstat": {Data: fmt.Appendf(nil, "pswpin %d\npswpout 0\n", s.pages)}}.Open(name)
}

// TestScript runs testdata/script/*.txtar. In addition to the standard commands there
// is
//
//	exits CODE COMMAND [args…]
//
// which runs a command and fails unless it exits with CODE; its output is
// checked with stdout, stderr and cmp as after exec. The condition [long] holds
// where TARE_LONG is set.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return os.Getenv("TARE_LONG") != "", nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			// Scripts may build Go code: with this machine's caches, without
			// the network.
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
				out, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				env.Setenv(name, string(out[:len(out)-1]))
			}
			// Where this module lies, for scripts that use it as a module.
			repository, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			env.Setenv("REPOSITORY", repository)
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("NO_COLOR", "1")
			// A lock and a cache of its own: tests wait for nobody.
			env.Setenv("TARE_LOCK", filepath.Join(env.WorkDir, ".lock"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			return nil
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [args…]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("exits: %v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%v exits %d, want %d", args[1:], got, want)
	}
}
