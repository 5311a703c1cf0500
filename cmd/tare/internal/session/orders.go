package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// funcOrderSeed returns the seed of the function orders that the newest comparison of
// the same commit with another working tree drew. The commit's binaries are
// linked in these. It is 0 if there is none, or if the same working tree was
// compared before: a second comparison has to be independent of the first.
func (s *Session) funcOrderSeed() (seed uint64) {
	root := filepath.Join(moduleRoot(s.spec.Dir), ".tare")
	entries, _ := os.ReadDir(root) // by name, which begins with the time
	for i := len(entries) - 1; i >= 0; i-- {
		head, ok := headOf(filepath.Join(root, entries[i].Name(), "result.jsonl"))
		if !ok || !commitAndTree(head.Variants) || head.Variants[0].Revision != s.sides.variants[0].Revision {
			continue
		}
		if head.Variants[1].Digest == s.sides.variants[1].Digest {
			return 0
		}
		seed = cmp.Or(seed, head.FuncOrderSeed, head.Seed)
	}
	return seed
}

// commitAndTree reports whether the variants are a commit and changes to a
// working tree.
func commitAndTree(of []result.Variant) bool {
	return len(of) == 2 && of[0].Revision != "" && of[1].Digest != "" && of[1].Dirty
}

// headOf reads the head of a recording. It is missing if a line before it, or
// the head itself, is longer than a scanner reads.
func headOf(file string) (head result.Study, ok bool) {
	f, err := os.Open(file)
	if err != nil {
		return head, false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var line result.Line
		if bytes.HasPrefix(lines.Bytes(), []byte(`{"study"`)) && json.Unmarshal(lines.Bytes(), &line) == nil && line.Study != nil {
			return *line.Study, true
		}
	}
	return head, false
}
