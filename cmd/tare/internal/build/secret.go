package build

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

const secretName = `(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?:API|ACCESS|PRIVATE|SECRET|SIGNING)_?KEY)`

var (
	secretForm   = regexp.MustCompile(`^(?i:[A-Z0-9_]*` + secretName + `)$`)
	assignedForm = regexp.MustCompile(`\b([A-Z0-9_]*` + secretName + `)=[^\s,;'"]+`)
)

// checkEnv checks the value of env=. If a variable's name marks it as a secret,
// only the name is allowed. The label of a variant is recorded, and published
// in reports, pages and comments.
func checkEnv(value string) error {
	name, _, assigned := strings.Cut(value, "=")
	switch secret := secretForm.MatchString(name); {
	case !envNameForm.MatchString(name), !assigned && !secret:
		return fmt.Errorf("env=%s: want env=NAME=VALUE, as env=GOGC=200", value)
	case assigned && secret:
		return fmt.Errorf("env=%s: a recording would publish its value: export %s, and write env=%s", name, name, name)
	case !assigned && os.Getenv(name) == "":
		return fmt.Errorf("env=%s: export %s first: the value of a secret comes from the environment", name, name)
	}
	return nil
}

// Environment adds the values of secrets.
func Environment(pairs []string) []string {
	var all []string
	for _, pair := range pairs {
		if !strings.Contains(pair, "=") {
			pair += "=" + os.Getenv(pair)
		}
		all = append(all, pair)
	}
	return all
}

// HideSecrets replaces the value that a word of a command assigns to a secret.
// The variable's name marks the secret.
func HideSecrets(word string) string { return assignedForm.ReplaceAllString(word, "$1=…") }
