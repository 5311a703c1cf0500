package objcode

import (
	"debug/elf"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestLiveIsWhatTheLinkerKeeps compares with a linked binary: each function
// and variable in its symbol table must be alive, and what is alive must be in
// the table, except package runtime, all of which counts. The package needs
// reflection: without it the equality of map iterators counts as alive, which is
// more than the linker keeps and safe.
func TestLiveIsWhatTheLinkerKeeps(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads ELF files")
	}
	var reader Reader
	p, binary := build(t, &reader, "../../../..", "text/template")
	alive := live(p, nil)
	f, err := elf.Open(binary)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	linked := make(map[string]bool)
	for _, s := range table {
		linked[strings.TrimSuffix(s.Name, ".abi0")] = true
	}
	marked := make(map[string]bool)
	for i, at := range p.symbols {
		if at.object == nil || !alive[i] {
			continue
		}
		name := strings.ReplaceAll(at.object.name(at.index), "·", ".")
		marked[name] = true
		pkg := at.object.pkg
		// What only the runtime calls is of its packages.
		if pkg == "runtime" || strings.HasPrefix(pkg, "runtime/") || strings.HasPrefix(pkg, "internal/") {
			continue
		}
		if s := at.object.symbol(at.index); s.kind() == kindText && s.size() > 0 && !linked[name] {
			t.Errorf("alive here, not in the binary: %s of %s", name, pkg)
		}
	}
	made := map[string]bool{"runtime.text": true, "runtime.etext": true, "go:textfipsstart": true, "go:textfipsend": true}
	functions := 0
	for _, s := range table {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC {
			continue
		}
		functions++
		// The linker numbers static functions of one name.
		name := regexp.MustCompile(`^(type:\.eq\..*)\.\d+$`).ReplaceAllString(strings.TrimSuffix(s.Name, ".abi0"), "$1")
		if !marked[name] && !marked[strings.TrimSuffix(s.Name, ".abi0")] && !made[s.Name] {
			t.Errorf("in the binary, not alive here: %s", s.Name)
		}
	}
	if functions < 1000 {
		t.Errorf("%d functions in the binary", functions)
	}
}
