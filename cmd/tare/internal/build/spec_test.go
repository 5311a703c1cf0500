package build

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Spec
	}{
		{".", Spec{Revision: "."}},
		{"HEAD~1", Spec{Revision: "HEAD~1"}},
		{"main@{1 day ago}", Spec{Revision: "main@{1 day ago}"}},
		{`a\,b,tags=x`, Spec{Revision: "a,b", Tags: []string{"x"}}},
		{".,tags=a,b,go=1.27.1", Spec{Revision: ".", Tags: []string{"a", "b"}, Go: "1.27.1"}},
		{".,tags=a,tags=b", Spec{Revision: ".", Tags: []string{"a", "b"}}},
		{"v1.2.3,go=go1.26", Spec{Revision: "v1.2.3", Go: "1.26"}},
		{".,go=1.27rc1", Spec{Revision: ".", Go: "1.27rc1"}},
		{".,env=GOGC=200,env=GODEBUG=madvdontneed=1,gctrace=1", Spec{Revision: ".", Env: []string{"GOGC=200", "GODEBUG=madvdontneed=1,gctrace=1"}}},
		{`.,env=LIST=a\,B=1`, Spec{Revision: ".", Env: []string{"LIST=a,B=1"}}},
		{".,env=EMPTY=", Spec{Revision: ".", Env: []string{"EMPTY="}}},
		{".,flags=-gcflags=-B,-ldflags=-w", Spec{Revision: ".", Flags: []string{"-gcflags=-B", "-ldflags=-w"}}},
		{".,flags=-gcflags=all=-l -B", Spec{Revision: ".", Flags: []string{"-gcflags=all=-l -B"}}},
		{".,flags=-coverpkg=a,b,-race", Spec{Revision: ".", Flags: []string{"-coverpkg=a,b", "-race"}}},
		{`.,flags=-ldflags=-extldflags=-Wl\,-z\,now`, Spec{Revision: ".", Flags: []string{"-ldflags=-extldflags=-Wl,-z,now"}}},
		{".,mod=golang.org/x/text@v0.20.0,mod=a.b/c@latest", Spec{Revision: ".", Mods: []string{"golang.org/x/text@v0.20.0", "a.b/c@latest"}}},
		{"bin=old.test", Spec{Bin: "old.test"}},
		{"bin=a b/old.test,env=GOGC=off", Spec{Bin: "a b/old.test", Env: []string{"GOGC=off"}}},
		{"bin=x,y.test", Spec{Bin: "x,y.test"}},
	} {
		c.want.Label = c.text
		got, err := Parse(c.text)
		if err != nil {
			t.Errorf("%v", err)
		} else if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("Parse(%q):\n%s", c.text, diff)
		}
	}
}

func TestParseErrorsTeach(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "names no code"},
		{",tags=a", "names no code"},
		{"tags=a", ".,tags=a for the working tree"},
		{"-x", "dash"},
		{".,", "not key=value"},
		{".,tag=a", "did you mean tags=?"},
		{".,tags=a,evn=X=1", "did you mean env=?"},
		{".,env=GOGC=1,tag=a", "did you mean tags=?"},
		{".,env=GOGC=200,GOMAXPROCS=4", "env=GOMAXPROCS=4"},
		{".,module=a@v1", "did you mean mod=?"},
		{".,race", "keys are"},
		{".,tags=", "needs a value"},
		{".,tags=a-b", "not a build tag"},
		{".,go=latest", "go=1.27.1"},
		{".,go=1.26,1.27", "one value"},
		{".,go=1.26,go=1.27", "twice"},
		{".,env=GOGC", "env=NAME=VALUE"},
		{".,env=API_TOKEN=s3cr3t", "export API_TOKEN"},
		{".,env=DB_PASSWORD=s3cr3t,evn=1", "did you mean env=?"},
		{".,env=TARE_UNSET_SECRET", "export TARE_UNSET_SECRET first"},
		{".,mod=a.b/c", "path@version"},
		{".,flags=race", "begins with a dash"},
		{".,flags=-bench=.", "after --"},
		{".,flags=-tags=a", "tags=a"},
		{"bin=", "needs the path"},
		{"bin=a.test,tags=x", "only env="},
		{"bin=a.test,go=1.26", "only env="},
		{".,bin=a.test", "write it first"},
		{"bin=a.test,bin=b.test", "write it first"},
	} {
		if _, err := Parse(c.text); err == nil {
			t.Errorf("Parse(%q) took it", c.text)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q): %v; want %q in it", c.text, err, c.want)
		} else if strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("Parse(%q) shows the secret: %v", c.text, err)
		}
	}
}

// What was built from parts comes back as those parts.
func TestParseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		escape := func(s string) string { return strings.ReplaceAll(s, ",", `\,`) }
		spec := Spec{Revision: rapid.StringMatching(`[a-z.][a-zA-Z0-9~^/,]{0,8}[a-z]`).Draw(t, "revision")}
		text := escape(spec.Revision)
		for _, tag := range rapid.SliceOfN(rapid.StringMatching(`[a-z][a-z0-9_.]{0,5}`), 0, 3).Draw(t, "tags") {
			spec.Tags, text = append(spec.Tags, tag), text+",tags="+tag
		}
		for _, value := range rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z0-9=, -]{0,9}[a-z]`), 0, 3).Draw(t, "env") {
			spec.Env, text = append(spec.Env, "NAME="+value), text+",env=NAME="+escape(value)
		}
		spec.Label = text
		got, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spec, got); diff != "" {
			t.Fatalf("%q:\n%s", text, diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{".", "a,tags=b", `\,,env=A=\,`, "bin=x,env=A=b", ".,flags=-a,-b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Parse(text)
		if err == nil && (spec.Revision == "") == (spec.Bin == "") {
			t.Errorf("%q names neither or both: %+v", text, spec)
		}
	})
}

func TestMergeFlags(t *testing.T) {
	set := mergeFlags(`-tags=env -mod=mod '-ldflags=-X a.b=c d' -overlay=e.json`, []string{"-race", "-tags=common", "-ldflags=all=-s"}, Spec{Tags: []string{"spec"}, Flags: []string{"-gcflags=-B"}})
	if diff := cmp.Diff([]string{"-race", "-gcflags=-B", "-tags=common,env,spec", "-overlay=e.json"}, set.list()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"-ldflags=-w", "-ldflags=-X a.b=c d -w", "-ldflags=all=-s -w"}, set.linker("-w")); diff != "" {
		t.Error(diff)
	}
}

func TestSplitPrinted(t *testing.T) {
	words, ok := splitPrinted(`GOROOT='/usr/local/a b' /x/link -o $WORK/b001/m.test -X "a.b=c d\t" "" last`)
	want := []string{`GOROOT='/usr/local/a b'`, "/x/link", "-o", "$WORK/b001/m.test", "-X", "a.b=c d\t", "", "last"}
	if !ok || !slices.Equal(words, want) {
		t.Errorf("%v %q", ok, words)
	}
	for _, bad := range []string{`a "unfinished`, `a "\z"`} {
		if words, ok := splitPrinted(bad); ok {
			t.Errorf("%s: %q", bad, words)
		}
	}
}
