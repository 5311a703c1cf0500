package library_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// In the machine code the arguments and results of Keep are computed between
// the calls that begin and end the lap. Every machine compiles for amd64.
// Without Keep the compiler of Go 1.26 moves all of it out of the second lap.
func TestKeepIsABarrier(t *testing.T) {
	t.Parallel() // it waits for the go command
	cmd := exec.Command("go", "build", "-gcflags=example.test/barrier=-S", "-o", os.DevNull, ".")
	cmd.Dir = filepath.Join("testdata", "barrier")
	cmd.Env = append(os.Environ(), "GOARCH=amd64", "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	const multiplications = 20
	for _, test := range []struct{ function, from, to string }{
		{"Kept", "Stopwatch).Start", "Stopwatch).stop"},
		{"KeptInPause", "laps).resume", "laps).pause"},
	} {
		if n := multiplicationsBetween(t, string(out), test.function, test.from, test.to); n != multiplications {
			t.Errorf("%s has %d multiplications between %s and %s, want %d", test.function, n, test.from, test.to, multiplications)
		}
	}
}

var (
	functionStart = regexp.MustCompile(`(?m)^example\.test/barrier\.(\S+) STEXT`)
	multiplies    = regexp.MustCompile(`\tIMULQ\t`)
)

// multiplicationsBetween counts the multiplications of a function between the
// first call of from and the next one of to.
func multiplicationsBetween(t *testing.T, assembly, function, from, to string) int {
	t.Helper()
	starts := functionStart.FindAllStringSubmatchIndex(assembly, -1)
	for i, start := range starts {
		if assembly[start[2]:start[3]] != function {
			continue
		}
		end := len(assembly)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		body := assembly[start[0]:end]
		_, body, found := strings.Cut(body, call(from))
		inLap, _, foundEnd := strings.Cut(body, call(to))
		if !found || !foundEnd {
			t.Fatalf("%s does not call %s and %s", function, from, to)
		}
		return len(multiplies.FindAllString(inLap, -1))
	}
	t.Fatalf("no function %s among %d", function, len(starts))
	return 0
}

// call is the form in which the assembly listing has the call of a method.
func call(method string) string {
	return "CALL\tgithub.com/tarebench/tare.(*" + method + "("
}
