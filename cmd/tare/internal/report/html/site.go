package html

import (
	"net/url"
	"strings"
)

// site returns the address of a commit without its hash, for a remote as git
// writes it. It is empty for a directory or a local host.
func site(remote string) string {
	remote = strings.TrimSpace(remote)
	if user, rest, ok := strings.Cut(remote, "@"); ok && !strings.Contains(remote, "://") && !strings.Contains(user, "/") {
		if host, path, ok := strings.Cut(rest, ":"); ok { // git@host:path
			remote = "ssh://git@" + host + "/" + strings.TrimPrefix(path, "/")
		}
	}
	u, err := url.Parse(remote)
	if err != nil || !strings.Contains(u.Hostname(), ".") {
		return ""
	}
	host := u.Hostname()
	switch u.Scheme {
	case "http", "https":
		if port := u.Port(); port != "" {
			host += ":" + port
		}
	case "ssh", "git":
	default:
		return ""
	}
	path := strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
	if path == "" {
		return ""
	}
	at := "/commit/"
	switch {
	case strings.Contains(host, "gitlab"):
		at = "/-/commit/"
	case strings.Contains(host, "bitbucket"):
		at = "/commits/"
	}
	return (&url.URL{Scheme: "https", Host: host, Path: "/" + path}).String() + at
}

// link returns the address of a commit, or an empty string. The hash from the
// store is not trusted.
func link(site, hash string) string {
	if site == "" || len(hash) < 7 || len(hash) > 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return ""
	}
	return site + hash
}
