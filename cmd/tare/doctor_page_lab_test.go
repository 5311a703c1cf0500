//go:build lab

package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

var record = flag.Bool("record", false, "write docs/doctor.md again, on a quiet machine")

// The page docs/doctor.md has parts between <!-- NAME --> and <!-- end NAME -->
// that are made here: the outputs of real runs.
const doctorPage = "../../docs/doctor.md"

func replacePart(t *testing.T, page, name, text string) string {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- end "+name+" -->"
	head, rest, ok := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("the page has no part %s", name)
	}
	return head + begin + text + end + tail
}

// TestRecordDoctorPage runs the doctor as a user would, on this machine as it
// is with a busy loop running, and pastes what it says into the page.
func TestRecordDoctorPage(t *testing.T) {
	tare := executable.Build(t, executable.Tare)
	doctor := func() string {
		cmd := exec.Command(tare, "doctor")
		var out, progress bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &progress
		began := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, progress.String())
		}
		t.Logf("took %.1f s; %s", time.Since(began).Seconds(), progress.String())
		return "```\n$ tare doctor\n" + out.String() + "```\n"
	}
	doctor() // builds what the next ones find built
	parts := make(map[string]string)

	hog := exec.Command("sh", "-c", "while :; do :; done")
	if err := hog.Start(); err != nil {
		t.Fatal(err)
	}
	parts["hog"] = doctor()
	hog.Process.Kill()
	hog.Wait()

	page, err := os.ReadFile(doctorPage)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for name, output := range parts {
		text = replacePart(t, text, name, output)
	}
	if !*record {
		return
	}
	if err := os.WriteFile(doctorPage, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
