package history

import (
	"reflect"
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, test := range []struct{ text, store, err string }{
		{text: "git:tare", store: "history.Branch"},
		{text: "some/folder", store: "history.Folder"},
		{text: "", err: `"" is neither git:BRANCH nor a folder`},
		{text: "git:", err: `"git:" is neither git:BRANCH nor a folder`},
		{text: "../evil://host/db", err: "is neither git:BRANCH, a folder nor an address"},
		{text: "postgresql://host/db", err: "open store postgres://: the program tare-store-postgres is not on the path: go install"},
		{text: "other://host/db", err: "open store other://: the program tare-store-other is not on the path"},
	} {
		a, err := ParseAddress(test.text)
		var s Store
		if err == nil {
			s, err = a.Open(RunGit("."))
		}
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q: error %v, want %s", test.text, err, test.err)
			}
		} else if err != nil || reflect.TypeOf(s).String() != test.store {
			t.Errorf("%q: store %T, error %v", test.text, s, err)
		}
	}
}
