package bisect

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		of       string
		args     []string
		variants int
		rest     []string
		err      string
	}{
		{of: "commits", args: []string{"v1", "HEAD", "./x"}, variants: 2, rest: []string{"./x"}},
		{of: "hunks", args: []string{"v1", "."}, variants: 2},
		{of: "go", args: []string{"1.25.0", "1.26.0"}},
		{of: "mod=example.org/m", args: []string{"v1.0.0", "v1.1.0", "./..."}, rest: []string{"./..."}},
		{of: "commits", args: []string{"v1"}, err: "bisect needs two ends"},
		{of: "mod=", args: []string{"a", "b"}, err: `flag -of: "mod=" is none of commits, hunks, go, mod=PATH`},
		{of: "weeks", args: []string{"a", "b"}, err: `flag -of: "weeks" is none of`},
		{of: "commits", args: []string{"v1", "HEAD,tag=x"}, err: "tags=?"},
	} {
		s, rest, err := Parse(test.of, test.args)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s %q: error %v, want %s", test.of, test.args, err, test.err)
			}
			continue
		}
		if err != nil || len(s.Variants) != test.variants || !slices.Equal(rest, test.rest) {
			t.Errorf("%s %q: %+v, rest %q, error %v", test.of, test.args, s, rest, err)
		}
	}
}
