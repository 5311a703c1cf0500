package result

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/tarebench/tare/internal/finding"
)

func formatPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestFormatExample reads the example of docs/format.md, which has a line of
// every kind.
func TestFormatExample(t *testing.T) {
	_, rest, _ := strings.Cut(formatPage(t), "```jsonl\n")
	example, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/format.md has no example")
	}
	lines, err := Lines(strings.NewReader(example))
	if n := strings.Count(example, "\n"); err != nil || len(lines) != n {
		t.Fatalf("%d of %d lines: %v", len(lines), n, err)
	}
	kinds := make(map[string]bool)
	for _, l := range lines {
		v := reflect.ValueOf(l)
		for i := range v.NumField() {
			if !v.Field(i).IsNil() {
				kinds[v.Type().Field(i).Name] = true
			}
		}
	}
	for i := range reflect.TypeFor[Line]().NumField() {
		if name := reflect.TypeFor[Line]().Field(i).Name; !kinds[name] {
			t.Errorf("the example has no line of the kind %s", name)
		}
	}
	rec := NewRecording(lines)
	b := rec.Benchmarks[0]
	if b.Pilot.Iterations != 12_000 || len(b.Blocks) != 2 || b.Blocks[1].Good() {
		t.Fatalf("benchmark %+v", b)
	}
	rounds := b.Blocks[0].Timed()
	last := rounds[3]
	if last.At != 1.501225 || !reflect.DeepEqual(last.Order, []int{0, 1}) || last.Slices[0].N != 48_000 || last.Slices[1].Raw != 407_700 || last.Slices[0].Metrics["hits/op"] != 3 {
		t.Errorf("the last round is %+v", last)
	}
	if !rounds[0].Warmup || last.Warmup || !rounds[1].Slices[0].Counted {
		t.Errorf("rounds %+v", rounds)
	}
}

// TestFormatIsWhole: every field that a recording can have is in
// docs/format.md.
func TestFormatIsWhole(t *testing.T) {
	page := formatPage(t)
	seen := make(map[reflect.Type]bool)
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] || typ.PkgPath() == "time" || typ == reflect.TypeFor[Machine]() {
			return // the machine has a separate document
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			if name != "" && !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "## "+name) {
				t.Errorf("docs/format.md does not say what %s of %v is", name, typ)
			}
			walk(f.Type)
		}
	}
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Study](), reflect.TypeFor[Benchmark](), reflect.TypeFor[Plan](), reflect.TypeFor[Block](),
		reflect.TypeFor[Stop](), reflect.TypeFor[finding.Finding](), reflect.TypeFor[Count](), reflect.TypeFor[ChangedFunction](), reflect.TypeFor[Production](), reflect.TypeFor[End](),
	} {
		walk(typ)
	}
	names := []string{"count", "warmup", "at", "orders", "sides", "metrics"}
	for _, q := range quantities {
		names = append(names, q.name)
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/format.md does not describe the column %s", name)
		}
	}
}
