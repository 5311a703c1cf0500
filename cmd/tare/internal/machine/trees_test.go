package machine

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/facts")

// TestTreeFacts compares all facts with testdata/facts, which was read by eye.
func TestTreeFacts(t *testing.T) {
	for _, name := range treeNames(t) {
		t.Run(name, func(t *testing.T) {
			root, _ := openTree(t, name)
			m := Facts(root)
			m.OS, m.Arch = "", "" // those of the test
			got, err := json.MarshalIndent(m, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "facts", name+".json")
			if *update {
				if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
				t.Errorf("facts (-want +got), rewrite with -update:\n%s", diff)
			}
		})
	}
}
