package history

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// Address says where a history is kept.
type Address struct {
	// text is what the user wrote; exactly one of the others is set.
	text                   string
	branch, folder, scheme string
}

// schemes are those that a program may keep histories for.
var schemes = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// ParseAddress reads git:BRANCH, the name of a folder, or SCHEME://PLACE.
func ParseAddress(text string) (Address, error) {
	a := Address{text: text}
	branch, isBranch := strings.CutPrefix(text, "git:")
	scheme, _, isURL := strings.Cut(text, "://")
	switch {
	case text == "" || isBranch && branch == "":
		return a, fmt.Errorf("%q is neither git:BRANCH nor a folder", text)
	case isBranch:
		a.branch = branch
	case isURL && !schemes.MatchString(scheme):
		return a, fmt.Errorf("%q is neither git:BRANCH, a folder nor an address such as postgres://host/database", text)
	case isURL:
		a.scheme = strings.Replace(scheme, "postgresql", "postgres", 1)
	default:
		a.folder = text
	}
	return a, nil
}

// Open opens the store: a branch of the repository that git runs in, a folder,
// or what the program tare-store-SCHEME keeps.
func (a Address) Open(git Git) (Store, error) {
	switch {
	case a.branch != "":
		return OpenBranch(git, a.branch), nil
	case a.folder != "":
		return OpenFolder(a.folder), nil
	}
	path, err := exec.LookPath("tare-store-" + a.scheme)
	if err != nil {
		hint := ""
		if a.scheme == "postgres" {
			hint = ": go install github.com/tarebench/tare/cmd/tare-store-postgres@latest"
		}
		return nil, fmt.Errorf("open store %s://: the program tare-store-%s is not on the path%s", a.scheme, a.scheme, hint)
	}
	return OpenProgram(path, a.text), nil
}
