package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tarebench/tare/cmd/tare/internal/lab"
	"github.com/tarebench/tare/cmd/tare/internal/session"
	"github.com/tarebench/tare/cmd/tare/internal/test/golden"
)

var update = golden.Update

// TestMain makes this binary the command "tare" of the scripts. It sees a
// machine that disturbs no block: on a host that steals or swaps, no number of
// blocks would do, and the scripts are not about the host. "tare-swapping"
// sees one that disturbs every block, and "tare-at" the one below $TARE_ROOT.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){
		"tare":          func() { program(session.Host{Tree: fstest.MapFS{}}) },
		"tare-at":       func() { program(treeAt(os.Getenv("TARE_ROOT"))) },
		"tare-swapping": func() { program(session.Host{Tree: new(swapping)}) },
	})
}

// treeAt is a machine that the files below a folder show.
func treeAt(root string) session.Host {
	return session.Host{Tree: os.DirFS(root), Root: root}
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
// with the tag lab.
//
// $RECORDINGS has what TestRecordings made.
func TestScript(t *testing.T) {
	p := params(recordings)
	p.Dir, p.UpdateScripts = "testdata/script", *update
	testscript.Run(t, p)
}

// recordings are those of small studies. Scripts that show, merge or judge read
// them; those about measuring measure.
const recordings = "testdata/recordings"

// params are those of all scripts, with their recordings in a folder.
func params(recordings string) testscript.Params {
	return testscript.Params{
		Condition: func(name string) (bool, error) {
			if name != "long" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			return lab.Long, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			// Scripts may build Go code: with this machine's caches, without
			// the network.
			for i, name := range goVariables {
				values, err := goValues()
				if err != nil {
					return err
				}
				env.Setenv(name, values[i])
			}
			// Where this module lies, for scripts that use it as a module.
			repository, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			env.Setenv("REPOSITORY", repository)
			from, err := filepath.Abs(recordings)
			if err != nil {
				return err
			}
			env.Setenv("RECORDINGS", from)
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("NO_COLOR", "1")
			// A lock and a cache of its own: tests wait for nobody.
			env.Setenv("TARE_LOCK", filepath.Join(env.WorkDir, ".lock"))
			env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache"))
			if raceDetector && !instrumented[strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")] {
				dir, err := plain()
				if err != nil {
					return err
				}
				env.Setenv("PATH", dir+string(filepath.ListSeparator)+env.Getenv("PATH"))
			}
			return nil
		},
	}
}

// goVariables are taken over from the go command's settings.
var goVariables = []string{"GOCACHE", "GOMODCACHE", "GOROOT"}

var goValues = sync.OnceValues(func() ([]string, error) {
	out, err := exec.Command("go", append([]string{"env"}, goVariables...)...).Output()
	if err != nil {
		return nil, err
	}
	return strings.Split(string(out), "\n"), nil
})

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
