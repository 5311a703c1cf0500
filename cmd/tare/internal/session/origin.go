package session

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tarebench/tare/cmd/tare/internal/result"
)

// originFile is the file in a study directory that proves that this user
// wrote its head there. It contains a code of the head and the directory,
// made with the user's key.
const originFile = "origin"

// originKey reads the key of this user, and makes one if none exists.
func originKey() ([]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "tare")
	path := filepath.Join(dir, "origin.key")
	key, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(dir, "origin") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	key = make([]byte, 32)
	rand.Read(key)
	_, err = f.Write(key)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path) // another process may have been first
}

// originCode is the code of a head in a directory.
func originCode(folder string, head any) (string, error) {
	key, err := originKey()
	if err != nil {
		return "", err
	}
	if len(key) != 32 {
		return "", errors.New("the key of recordings is damaged")
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil {
		return "", err
	}
	data, err := json.Marshal(head)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%q\n%s", folder, data)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// Sign records in a directory that this user's tare wrote a head there. Without
// a cache directory the study is still measured, and needs -trust later.
func Sign(folder string, head any) {
	if code, err := originCode(folder, head); err == nil {
		_ = os.WriteFile(filepath.Join(folder, originFile), []byte(code+"\n"), 0o666)
	}
}

// Signed is true if this user's tare wrote the head in that directory.
func Signed(folder string, head any) bool {
	noted, err := os.ReadFile(filepath.Join(folder, originFile))
	if err != nil {
		return false
	}
	code, err := originCode(folder, head)
	return err == nil && hmac.Equal([]byte(strings.TrimSpace(string(noted))), []byte(code))
}

// signStudy signs a study in the form that readers of the recording get.
func signStudy(folder string, head result.Study) {
	if data, err := json.Marshal(head); err == nil && json.Unmarshal(data, &head) == nil {
		Sign(folder, head)
	}
}

// checkOrigin rejects a recording that someone else wrote. Building its variants
// would run commands from its flags, and the recording names files to write. The
// error lists them.
func checkOrigin(folder string, head result.Study, trust bool) error {
	if trust || Signed(folder, head) {
		return nil
	}
	var asked []string
	for _, v := range head.Variants {
		asked = append(asked, fmt.Sprintf("variant %q", v.Label))
	}
	for _, name := range slices.Sorted(maps.Keys(head.Profiles)) {
		asked = append(asked, fmt.Sprintf("%s to %q", name, head.Profiles[name]))
	}
	if head.Output.File != "" {
		asked = append(asked, fmt.Sprintf("output to %q", head.Output.File))
	}
	if len(head.Args) > 0 {
		asked = append(asked, fmt.Sprintf("arguments %q", head.Args))
	}
	return Untrusted(folder, asked)
}

// Untrusted is the error of a directory that someone else wrote, or that was
// moved. It lists the actions that the study would start.
func Untrusted(folder string, asked []string) error {
	return fmt.Errorf("%s was not measured here by this user. It builds, runs and writes:\n\t%s\nAdd -trust if you trust its author", folder, strings.Join(asked, "\n\t"))
}
