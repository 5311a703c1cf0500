//go:build amd64 || arm64

package library_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/lintdriver"
)

// The compiler keeps what is called in a Loop of package testing, also when
// the result is not used, and it knows that Loop through the embedding in B. A
// Loop that forwards to it is not the same. Asked of the machine code.
func TestLoopKeepsResultsAlive(t *testing.T) {
	t.Parallel() // it waits for the go command
	binary := filepath.Join(t.TempDir(), "loop.test")
	build := exec.Command("go", "test", "-c", "-o", binary)
	build.Dir = filepath.Join("testdata", "loop")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, out)
	}
	for name, want := range map[string]lintdriver.Fate{"Embedded": lintdriver.Inlined, "Wrapped": lintdriver.Gone, "Counted": lintdriver.Gone} {
		proof, err := lintdriver.BenchmarkWork(binary, "example.test/loop", name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		found := false
		for _, loop := range proof.Loops {
			for _, call := range loop.Calls {
				if call.Name == "popcount" {
					found = true
					if call.Fate != want {
						t.Errorf("%s: the call is %s, want %s: %v", name, call.Fate, want, proof)
					}
				}
			}
		}
		if !found {
			t.Errorf("%s: no call of popcount in %+v", name, proof)
		}
	}
}
