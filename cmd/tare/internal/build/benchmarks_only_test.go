package build

import (
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// TestLeaveOut: what no benchmark reaches is blank, with the imports that only it
// uses, and the rest keeps its lines.
func TestLeaveOut(t *testing.T) {
	texts := []string{`package p

import (
	"os"
	str "strings"
	"testing"
)

var (
	in    = str.Fields(text)
	other = os.Args
)

const (
	text = "a b"
	more = "c"
)

type kept struct{}

func (k kept) Do() { used() }

type dropped struct{}

func (d *dropped) Do() { size() }

// TestSize has a comment.
func TestSize(t *testing.T) { size(); helper(); _ = other }

func helper() { size() }

func used() {}

func BenchmarkJoin(b *testing.B) {
	for range b.N {
		kept{}.Do()
		_ = in
	}
}
`, `package p

import "testing"

func FuzzSize(f *testing.F) { size() }

var _ = dropped{}
`}
	files := testFiles{fset: token.NewFileSet(), names: map[string]string{"os": "os", "strings": "strings", "testing": "testing"}}
	for _, text := range texts {
		file, err := parser.ParseFile(files.fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files.files, files.texts = append(files.files, file), append(files.texts, []byte(text))
	}
	got := files.leaveOut()
	if want := []string{"FuzzSize", "TestSize", "dropped", "helper", "other"}; !slices.Equal(got, want) {
		t.Errorf("left out %q, want %q", got, want)
	}
	for i, text := range texts {
		left := string(files.texts[i])
		if strings.Count(left, "\n") != strings.Count(text, "\n") {
			t.Errorf("file %d has other lines", i)
		}
		for _, word := range []string{"size", "\"os\"", "dropped", "comment"} {
			if strings.Contains(left, word) {
				t.Errorf("file %d still has %s:\n%s", i, word, left)
			}
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", left, 0); err != nil {
			t.Errorf("file %d: %v\n%s", i, err, left)
		}
	}
	for _, word := range []string{"BenchmarkJoin", "in    = str.Fields", "text = ", "func used", "kept) Do", "str \"strings\""} {
		if !strings.Contains(string(files.texts[0]), word) {
			t.Errorf("%s is gone", word)
		}
	}
}
