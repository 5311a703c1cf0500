package result

import (
	"slices"
	"testing"
)

func TestExactPattern(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  string
	}{
		{[]string{"BenchmarkX"}, `^BenchmarkX$`},
		{[]string{"BenchmarkX/a+b/c"}, `^BenchmarkX$/^a\+b$/^c$`},
		{[]string{"BenchmarkEncode/size=1k(x)/a.b"}, `^BenchmarkEncode$/^size=1k\(x\)$/^a\.b$`},
		{[]string{"BenchmarkA", "BenchmarkB/x", "BenchmarkA/y"}, `^(BenchmarkA|BenchmarkB)$/^(x|y)$`},
	} {
		if got := ExactPattern(test.names...); got != test.want {
			t.Errorf("%q: %q, want %q", test.names, got, test.want)
		}
		match, err := MatchNames(ExactPattern(test.names...))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range test.names {
			if short := name[len("Benchmark"):]; len(test.names) == 1 && !match(short) {
				t.Errorf("%q does not match itself", name)
			}
		}
	}
}

func TestMatchNames(t *testing.T) {
	all := []string{"Encode", "Encode/size=1k", "Encode/size=1M", "Decode/size=1k", "Sort"}
	for text, want := range map[string][]string{
		".":               all,
		"Encode":          {"Encode", "Encode/size=1k", "Encode/size=1M"},
		"code/1k":         {"Encode/size=1k", "Decode/size=1k"},
		"^BenchmarkSort$": {"Sort"},
		"Sort|Decode/1k":  {"Decode/size=1k", "Sort"},
		"(Sort|Decode)":   {"Decode/size=1k", "Sort"},
		`[S/]ort`:         {"Sort"},
		`size=1k`:         nil,
	} {
		match, err := MatchNames(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range all {
			if match(name) {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if _, err := MatchNames("("); err == nil {
		t.Error("a group without an end: no error")
	}
}

func TestMatchFunctions(t *testing.T) {
	match, err := MatchFunctions("^BenchmarkSort$/large|Decode")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"BenchmarkSort": true, "BenchmarkSorted": false, "BenchmarkDecode": true, "BenchmarkEncode": false} {
		if match(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
