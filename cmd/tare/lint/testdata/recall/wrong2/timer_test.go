package wrong2

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// mistake: missingreset
func BenchmarkLookup(b *testing.B) {
	x := index{lists: make(map[string][]int)}
	for i := 0; i < 500000; i++ {
		x.add("word"+strconv.Itoa(i), i)
	}
	for i := 0; i < b.N; i++ {
		Found = x.find("word" + strconv.Itoa(i%500000))
	}
}

// mistake: missingreset
func BenchmarkListing(b *testing.B) {
	out, err := exec.Command("ls", "/").Output()
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < b.N; i++ {
		Count = len(words(string(out)))
	}
}

// mistake: resetplace
func BenchmarkResetEach(b *testing.B) {
	for i := 0; i < b.N; i++ {
		input := strings.Repeat(text, 10)
		b.ResetTimer()
		Count = len(words(input))
	}
}

type tally struct{ hits int }
