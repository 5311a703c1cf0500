package machine

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const roleEnv = "TARE_TEST_AS"

// TestMain lets this binary be the other process of the tests: a holder takes
// the lock, reports it, and holds it until it is killed.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "holder" {
		if _, err := (Locker{File: os.Getenv("TARE_TEST_FILE")}).Lock(context.Background(), LockFail, nil); err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		time.Sleep(time.Hour) // a bare select would be a deadlock that the runtime reports
	}
	os.Exit(m.Run())
}

// startChild runs this binary as another process and waits for its first line.
func startChild(t *testing.T, role string, env ...string) (cmd *exec.Cmd, line string) {
	t.Helper()
	if as := os.Getenv(roleEnv); as != "" { // each child would start another
		t.Fatalf("a child that is the %s runs the tests: TestMain must act for it", as)
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

// killChild ends a child with SIGKILL and waits for its end.
func killChild(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
}
