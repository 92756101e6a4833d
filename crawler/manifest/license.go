package manifest

import (
	"regexp"
	"strings"

	"mcpcensus/crawler/untyped"
)

// A licenseFamily is a licence with its versions.
type licenseFamily struct {
	named  *regexp.Regexp // finds it in a text in lower case
	id     string         // SPDX identifier, without the version
	latest string         // the version without a statement, "" for a licence without versions
}

// licenseFamilies are the licences that manifests and licence files name; the first match wins.
var licenseFamilies = []licenseFamily{
	{regexp.MustCompile(`\baffero\b|\bagpl`), "AGPL", "3.0"},
	{regexp.MustCompile(`\blesser\b|\blgpl`), "LGPL", "3.0"},
	{regexp.MustCompile(`\bgeneral public licen[cs]e\b|\bgpl(?:\b|v)|^gpl\d`), "GPL", "3.0"},
	{regexp.MustCompile(`\bapache\b|\bapache\d|\basl[ -]?2`), "Apache", "2.0"},
	{regexp.MustCompile(`\bmozilla\b|\bmpl`), "MPL", "2.0"},
	{regexp.MustCompile(`\beclipse public\b|\bepl`), "EPL", "2.0"},
	{regexp.MustCompile(`\beuropean union public\b|\beupl`), "EUPL", "1.2"},
	{regexp.MustCompile(`\bbusiness source\b|\bbusl`), "BUSL", "1.1"},
	{regexp.MustCompile(`\bserver side public\b|\bsspl`), "SSPL", "1.0"},
	{regexp.MustCompile(`\belastic licen[cs]e\b|\belv2\b|^elastic-`), "Elastic", "2.0"},
	{regexp.MustCompile(`\bboost software\b|^bsl-1`), "BSL", "1.0"},
	{regexp.MustCompile(`\bcc0\b`), "CC0", "1.0"},
	{regexp.MustCompile(`\b0bsd\b|\bzero[ -]clause bsd\b`), "0BSD", ""},
	{regexp.MustCompile(`\bbsd\b.*\b(?:2|two)[ -]clause|\b(?:2|two)[ -]clause bsd|` +
		`\bsimplified bsd|^bsd-?2`), "BSD-2-Clause", ""},
	{regexp.MustCompile(`\bbsd\b|^bsd-?3`), "BSD-3-Clause", ""},
	{regexp.MustCompile(`^(?:the )?unlicense\b`), "Unlicense", ""},
	{regexp.MustCompile(`\bmit no attribution\b|^mit-0$`), "MIT-0", ""},
	{regexp.MustCompile(`^(?:the )?(?:\(?mit\)?|expat)(?: |$)|\bmit licen[cs]e`), "MIT", ""},
	{regexp.MustCompile(`\bisc\b`), "ISC", ""},
	{regexp.MustCompile(`\bzlib\b`), "Zlib", ""},
	{regexp.MustCompile(`\bwtfpl\b|\bdo what the f`), "WTFPL", ""},
	{regexp.MustCompile(`\bartistic licen[cs]e\b`), "Artistic", "2.0"},
}

var (
	licenseVersion = regexp.MustCompile(`(?:^|[^\d.])([1-4])(?:\.([0-9]))?(?:[^\d]|$)`)
	orLater        = regexp.MustCompile(`\bor[ -](?:any )?(?:later|newer)\b|\d\+`)
	onlyVersion    = regexp.MustCompile(`\bonly\b`)
	// licenseID matches SPDX identifiers and expressions of them.
	licenseID = regexp.MustCompile(`^\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*` +
		`(?: (?:OR|AND|WITH) \(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*)*$`)
	compound = regexp.MustCompile(` (?:OR|AND|WITH) `)
	// noLicense matches texts that do not name a licence, in lower case.
	noLicense = regexp.MustCompile(`^(?:|none|unlicensed|proprietary|licen[cs]e|private|` +
		`commercial|other|custom)$|^(?:see |file:)|[\n{}<>]`)
)

const maxLicenseName = 60 // bytes

// SPDX returns the identifier of a licence that a manifest names, in any usual spelling, "" for
// texts that do not name one. Unknown identifiers stay as they are.
func SPDX(s string) string {
	s = strings.TrimSpace(s)
	lower := strings.ToLower(s)
	if noLicense.MatchString(lower) {
		return ""
	}
	if len(s) <= maxLicenseName && licenseID.MatchString(s) && compound.MatchString(s) {
		return s
	}
	if id := spelledLicense(lower); id != "" {
		return id
	}
	if len(s) > maxLicenseName || !licenseID.MatchString(s) {
		return ""
	}
	return s
}

// spelledLicense returns the identifier of the licence that a text in lower case names, "" if it
// names none.
func spelledLicense(lower string) string {
	for _, f := range licenseFamilies {
		at := f.named.FindStringIndex(lower)
		switch {
		case at == nil:
		case f.latest == "":
			return f.id
		default:
			return f.id + "-" + versionAfter(lower[at[0]:], f.latest) + laterOf(f.id, lower)
		}
	}
	return ""
}

// versionAfter returns the version in a text, or the latest one: "2" is "2.0".
func versionAfter(text, latest string) string {
	m := licenseVersion.FindStringSubmatch(strings.ReplaceAll(text, "v", " "))
	if m == nil {
		return latest
	}
	if m[2] == "" {
		m[2] = "0"
	}
	return m[1] + "." + m[2]
}

// laterOf returns the suffix of an identifier of the GNU licences for later versions.
func laterOf(id, text string) string {
	switch {
	case !strings.HasSuffix(id, "GPL"):
		return ""
	case orLater.MatchString(text):
		return "-or-later"
	case onlyVersion.MatchString(text):
		return "-only"
	}
	return ""
}

// licenseOfText returns the SPDX identifier that a short text names, or the text itself if it is
// short enough to be one.
func licenseOfText(s string) string { return SPDX(untyped.Short(s)) }

// LicenseTitle returns the SPDX identifier that the title of a licence file names, "" if it
// names none. The title is in the first lines before the text.
func LicenseTitle(b []byte) string {
	const most = 4 // lines
	text, _ := plainText(b)
	n, title := 0, ""
	for line := range strings.Lines(text) {
		line = strings.ToLower(strings.Trim(line, " \t\r\n#*=-_"))
		if line == "" && title == "" {
			continue
		}
		if n++; n > most || line == "" || licenseBody.MatchString(line) {
			break
		}
		title += " " + line
	}
	return spelledLicense(strings.TrimSpace(title))
}

// licenseBody matches lines of a licence that are no longer its title.
var licenseBody = regexp.MustCompile(`^(?:copyright|permission|redistribution|everyone|` +
	`\(c\)|©|this )`)
