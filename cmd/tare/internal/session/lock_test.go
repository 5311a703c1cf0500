package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// Of two processes that resume one study, the second would replace the blocks
// of the first.
func TestStudyIsResumedByOneProcess(t *testing.T) {
	folder := t.TempDir()
	f, err := os.Create(filepath.Join(folder, "result.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	study := &result.Study{Plan: result.Plan{Kind: "compare"}, Schema: result.RecordingSchema}
	if err := result.NewWriter(f).Write(result.Line{Study: study}); err != nil {
		t.Fatal(err)
	}
	none := func(string) bool { return false }
	var first, second Spec
	if err := first.Resume(folder, none); err != nil {
		t.Fatal(err)
	}
	if err := second.Resume(folder, none); err == nil || !strings.Contains(err.Error(), "measures ") {
		t.Errorf("second Resume: %v", err)
	}
	first.resumed.lock.Close()
	if err := second.Resume(folder, none); err != nil {
		t.Fatalf("Resume after the first ended: %v", err)
	}
	second.resumed.lock.Close()
}
