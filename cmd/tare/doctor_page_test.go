package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tarebench/tare/cmd/tare/internal/test/executable"
)

// The page docs/doctor.md has parts between <!-- NAME --> and <!-- end NAME -->
// that are made here: the outputs of real runs, recorded only when TARE_RECORD
// is set.
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
// is, with a busy loop running, and inside a CPU quota (as root), and pastes what it
// says into the page.
func TestRecordDoctorPage(t *testing.T) {
	if os.Getenv("TARE_RECORD") == "" {
		t.Skip("TARE_RECORD=1 records the outputs in docs/doctor.md again, on a quiet machine, in a minute")
	}
	tare := executable.Build(t, executable.Tare)
	doctor := func(before string) string {
		cmd := exec.Command("sh", "-c", before+`exec "$0" doctor`, tare)
		var out, progress bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &progress
		began := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %s", err, progress.String())
		}
		t.Logf("took %.1f s; %s", time.Since(began).Seconds(), progress.String())
		return "```\n$ tare doctor\n" + out.String() + "```\n"
	}
	doctor("") // builds what the next ones find built
	parts := map[string]string{"idle": doctor("")}

	hog := exec.Command("sh", "-c", "while :; do :; done")
	if err := hog.Start(); err != nil {
		t.Fatal(err)
	}
	parts["hog"] = doctor("")
	hog.Process.Kill()
	hog.Wait()

	group := quotaGroup(t, 50)
	parts["quota"] = doctor("echo $$ > " + group + "/cgroup.procs; ")

	page, err := os.ReadFile(doctorPage)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for name, output := range parts {
		text = replacePart(t, text, name, output)
	}
	if err := os.WriteFile(doctorPage, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// quotaGroup makes a control group with a CPU quota in percent of one CPU.
func quotaGroup(t *testing.T, percent int) (dir string) {
	t.Helper()
	quota := strconv.Itoa(percent * 1000)
	for _, g := range []struct{ dir, file, text string }{
		{"/sys/fs/cgroup/cpu/tare-doctor", "cpu.cfs_quota_us", quota},
		{"/sys/fs/cgroup/tare-doctor", "cpu.max", quota + " 100000"},
	} {
		if os.Mkdir(g.dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(g.dir) })
		if os.WriteFile(filepath.Join(g.dir, g.file), []byte(g.text), 0o644) == nil {
			return g.dir
		}
	}
	t.Skip("no control group can be made here: it needs root and the cpu controller")
	return ""
}
