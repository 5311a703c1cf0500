package build

import (
	"slices"
	"testing"
)

// TestSecretsComeFromTheEnvironment: a variant has the name of a secret, and a
// process gets its value.
func TestSecretsComeFromTheEnvironment(t *testing.T) {
	t.Setenv("API_TOKEN", "s3cr3t")
	spec, err := Parse(".,env=API_TOKEN,env=GOGC=50")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"API_TOKEN", "GOGC=50"}; !slices.Equal(spec.Env, want) {
		t.Errorf("variables %q, want %q", spec.Env, want)
	}
	if got, want := Environment(spec.Env), []string{"API_TOKEN=s3cr3t", "GOGC=50"}; !slices.Equal(got, want) {
		t.Errorf("environment %q, want %q", got, want)
	}
	for _, benign := range []string{"MAX_TOKENS=100", "SORT_KEY=name", "API_TOKEN_FILE=/x", "MONKEY=1"} {
		if _, err := Parse(".,env=" + benign); err != nil {
			t.Errorf("%v", err)
		}
	}
	for word, want := range map[string]string{
		"env API_TOKEN=s3cr3t ssh a": "env API_TOKEN=… ssh a",
		"-on=env MY_ACCESS_KEY=x sh": "-on=env MY_ACCESS_KEY=… sh",
		".,env=DB_PASSWORD=x,tags=a": ".,env=DB_PASSWORD=…,tags=a",
		"-bench=Sort/KEY=3":          "-bench=Sort/KEY=3",
		"MAX_TOKENS=100":             "MAX_TOKENS=100",
	} {
		if got := HideSecrets(word); got != want {
			t.Errorf("%q became %q, want %q", word, got, want)
		}
	}
}
