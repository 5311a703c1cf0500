package result_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// TestUnitsInDocuments: the pages on memory and programs say of each unit what the
// list of units says.
func TestUnitsInDocuments(t *testing.T) {
	for group, page := range map[string]string{"memory": "counts.md", "exec": "programs.md"} {
		text, err := os.ReadFile("../../../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range result.UnitsOf(group) {
			if line := fmt.Sprintf("\n| `%s` | %s |\n", u.Name, u.Help); !strings.Contains(string(text), line) {
				t.Errorf("docs/%s has no line %s", page, line)
			}
		}
	}
	for _, u := range result.Units {
		if u.Help == "" || result.HelpOn(u.Name) == "" {
			t.Errorf("%s says nothing", u.Name)
		}
	}
}
