package process

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestKillEndsGrandchildren: go ends with its compilers, whose open files would
// keep a temporary directory on Windows.
func TestKillEndsGrandchildren(t *testing.T) {
	const args = "-test.run=^TestKillEndsGrandchildren$"
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	switch os.Getenv("PROCESS_TEST_TREE") {
	case "child":
		cmd := exec.Command(self, args)
		cmd.Env, cmd.Stdout = append(os.Environ(), "PROCESS_TEST_TREE=grandchild"), os.Stdout
		t.Log(cmd.Run()) // the test kills it
		return
	case "grandchild":
		os.Stdout.WriteString("started\n")
		time.Sleep(time.Minute)
		return
	}
	cmd := Command(t.Context(), self, args)
	cmd.Env = append(os.Environ(), "PROCESS_TEST_TREE=child")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	if line, err := lines.ReadString('\n'); line != "started\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := Kill(cmd); err != nil {
		t.Error(err)
	}
	closed := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lines) // until both have ended
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Error("the grandchild lives")
	}
	_ = cmd.Wait()
}
