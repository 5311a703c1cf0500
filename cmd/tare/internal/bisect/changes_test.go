package bisect

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tarebench/tare/cmd/tare/internal/git"
)

func TestListFiles(t *testing.T) {
	t.Parallel()
	ctx, dir := context.Background(), t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	commit(t, dir, "kept")
	commit(t, dir, "gone")
	commit(t, dir, "sub, folder")
	runGit(t, dir, "rm", "-q", "gone")
	if err := os.WriteFile(filepath.Join(dir, "sub, folder"), []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	commit(t, dir, "added")
	runGit(t, dir, "commit", "-qam", "changed")
	f, err := ListFiles(ctx, git.Run, dir, parse(t, "HEAD~2,tags=z"), parse(t, "HEAD,tags=z"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(f.Names(), " / "); got != "added / gone / sub, folder" {
		t.Fatalf("files %q", got)
	}
	folder := filepath.Join(t.TempDir(), "a,b")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if none, err := f.Variant(ctx, folder, nil); err != nil || none != runGit(t, dir, "rev-parse", "HEAD~2")+",tags=z" {
		t.Errorf("no file: %s, %v", none, err)
	}
	if all, err := f.Variant(ctx, folder, []int{0, 1, 2}); err != nil || all != runGit(t, dir, "rev-parse", "HEAD")+",tags=z" {
		t.Errorf("all files: %s, %v", all, err)
	}
	text, err := f.Variant(ctx, folder, []int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	s := parse(t, text)
	if len(s.Flags) != 1 || s.Revision != runGit(t, dir, "rev-parse", "HEAD~2") {
		t.Fatalf("variant %+v", s)
	}
	data, err := os.ReadFile(strings.TrimPrefix(s.Flags[0], "-overlay="))
	if err != nil {
		t.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &overlay); err != nil {
		t.Fatal(err)
	}
	root := runGit(t, dir, "rev-parse", "--show-toplevel")
	if to, ok := overlay.Replace[filepath.Join(root, "gone")]; !ok || to != "" || len(overlay.Replace) != 2 {
		t.Errorf("overlay %v", overlay.Replace)
	}
	if text, err := os.ReadFile(overlay.Replace[filepath.Join(root, "sub, folder")]); err != nil || string(text) != "new" {
		t.Errorf("the new file is %q, %v", text, err)
	}
}
