package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// A comparison uses the function orders of the newest one with the same commit,
// unless one of them compared the same machine code.
func TestOrders(t *testing.T) {
	t.Parallel()
	pair := func(commit, code string) []result.Variant {
		return []result.Variant{{Label: "HEAD", Revision: commit}, {Label: ".", Dirty: true, Digest: "tree " + commit, Code: code}}
	}
	study := func(seed, orders uint64, variants []result.Variant) result.Study {
		return result.Study{Schema: result.RecordingSchema, Plan: result.Plan{Seed: seed, FuncOrderSeed: orders}, Variants: variants}
	}
	commits := []result.Variant{{Label: "v1", Revision: "a"}, {Label: "v2", Revision: "b"}}
	for _, test := range []struct {
		name    string
		studies []result.Study // in the order of time
		want    uint64
	}{
		{"none", nil, 0},
		{"unknown code", []result.Study{study(1, 0, pair("a", ""))}, 0},
		{"other commit", []result.Study{study(1, 0, pair("b", "x"))}, 0},
		{"two commits", []result.Study{study(1, 0, commits)}, 0},
		{"other code", []result.Study{study(1, 0, pair("a", "x"))}, 1},
		{"shared already", []result.Study{study(1, 0, pair("a", "x")), study(2, 1, pair("a", "y"))}, 1},
		{"newest", []result.Study{study(1, 0, pair("a", "x")), study(2, 0, pair("a", "y"))}, 2},
		{"same code", []result.Study{study(1, 0, pair("a", "now"))}, 0},
		{"same code before", []result.Study{study(1, 0, pair("a", "now")), study(2, 1, pair("a", "x"))}, 0},
	} {
		dir := t.TempDir()
		folders := []string{"20260101-000000-compare", "20260102-000000-compare"}
		for i, study := range test.studies {
			text, err := json.Marshal(result.Line{Study: &study})
			if err != nil {
				t.Fatal(err)
			}
			folder := filepath.Join(dir, ".tare", folders[i])
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "result.jsonl"), append([]byte("{}\n"), append(text, '\n')...), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := &Session{spec: Spec{Dir: dir}, sides: &sides{variants: pair("a", "now")}}
		if got := s.funcOrderSeed(); got != test.want {
			t.Errorf("%s: seed %d, want %d", test.name, got, test.want)
		}
	}
}
