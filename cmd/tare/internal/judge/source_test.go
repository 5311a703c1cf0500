package judge

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	src := `package p

import "testing"

func BenchmarkReset(b *testing.B) {
	for i := 0; i < b.N; i++ {
		b.ResetTimer()
		work()
	}
}
func BenchmarkResetRange(b *testing.B) {
	for range b.N {
		work()
		b.ResetTimer()
	}
}
func BenchmarkResetLoop(b *testing.B) { for b.Loop() { b.ResetTimer(); work() } }
func BenchmarkFixed(b *testing.B)    { for i := 0; i < 1000; i++ { work() } }
func BenchmarkFixedSub(b *testing.B) { b.Run("x", func(b *testing.B) { work() }) }
func BenchmarkRight(b *testing.B)    { b.ResetTimer(); for range b.N { work() } }
func BenchmarkSetUp(b *testing.B)    { for range 10 { work(); b.ResetTimer() }; for range b.N { work() } }
func BenchmarkHelper(b *testing.B)   { helper(b) }
func BenchmarkNamed(b *testing.B)    { b.Run("x", helper) }
func BenchmarkParallel(b *testing.B) { b.RunParallel(func(pb *testing.PB) { for pb.Next() { work() } }) }
`
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Reset": "reset-in-loop", "ResetRange": "reset-in-loop", "ResetLoop": "reset-in-loop",
		"Fixed": "no-loop", "FixedSub/x": "no-loop",
		"Right": "", "SetUp": "", "Helper": "", "Named/x": "", "Parallel": "", "Absent": "",
	} {
		got := ""
		if f, ok := Misuse(dir, name); ok {
			got = f.ID
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
