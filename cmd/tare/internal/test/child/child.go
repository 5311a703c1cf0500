// Package child starts the test binary again as another process: its TestMain
// does what [Role] names.
package child

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const roleEnv = "TARE_TEST_AS"

// Role is what this process was started as; empty for the tests themselves.
func Role() string { return os.Getenv(roleEnv) }

// Hang waits to be killed. A bare select would be a deadlock that the runtime
// reports.
func Hang() { time.Sleep(time.Hour) }

// Start runs this binary as another process and waits for its first line.
func Start(t *testing.T, role string, env ...string) (cmd *exec.Cmd, line string) {
	t.Helper()
	if Role() != "" { // the TestMain of this binary does not know the role: each child would start another
		t.Fatalf("a child that is the %s runs the tests: its TestMain must act for it", Role())
	}
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), roleEnv+"="+role), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the %s wrote nothing: %v", role, err)
	}
	return cmd, strings.TrimSpace(line)
}

// Kill ends a child with SIGKILL and waits for its end.
func Kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}
