package settings

import "testing"

// TestPasswordsInProse checks that passwords beside their account are hidden, wherever the sentence
// goes on, and that no honest sentence about passwords changes.
func TestPasswordsInProse(t *testing.T) {
	for text, want := range map[string]string{
		"user: admin password: hunter2 for the demo":      "user: admin password: YOUR_TOKEN for the demo",
		"Login: ann / Password: hunter2 on the machine":   "Login: ann / Password: YOUR_TOKEN on the machine",
		"**Username:** ann, **Password:** tide5 (demo)":   "**Username:** ann, **Password:** YOUR_TOKEN (demo)",
		"email=ann@example.com&password=tide5 is sent":    "email=ann@example.com&password=YOUR_TOKEN is sent",
		"| User | Password |\n|---|---|\n| ann | tide5 |": "| User | Password |\n|---|---|\n| ann | YOUR_TOKEN |",
		"|Role|Login|Passwort|\n|--|--|--|\n|x|ann|`tide5`|\n\n|A|B|C|\n|1|2|tide5|": "|Role|Login|Passwort|\n|--|--|--|\n" +
			"|x|ann|`YOUR_TOKEN`|\n\n|A|B|C|\n|1|2|tide5|",
		"| Username | Password |\n|---|---|\n| admin | admin |\n| bob | <your password> |\n" +
			"| eve | waves77 |": "| Username | Password |\n|---|---|\n| admin | admin |\n" +
			"| bob | <your password> |\n| eve | YOUR_TOKEN |",
	} {
		if got := Public(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		} else if again := Public(got); again != got {
			t.Errorf("%q: then %q", got, again)
		}
	}
	for _, text := range honest {
		if got := Public(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

var honest = []string{
	"| Python | Pass |\n|---|---|\n| 3.12 | yes |\n| 3.13t | no2 |",
	"| Test | Pass |\n|---|---|\n| login1 | 12of14 |",
	"| Method | Password |\n|---|---|\n| hash | argon2id |\n| old | sha256 |",
	"| Database | User | Password |\n|---|---|---|\n| Postgres | postgres | postgres |",
	"| Field | Username | Password |\n|---|---|---|\n| Type | string | string |\n| Required | yes | yes |",
	"| User | Password reset |\n|---|---|\n| ann | since v2.1 |",
	"| Option | Password |\n|---|---|\n| `--auth` | basic64 |",
	"| Username | Role |\n|---|---|\n| ann | level5 |",
	"Passwords are SHA256 hashed.",
	"The password is SHA256 hashed before it is sent.",
	"Password: SHA256 hashed with a salt",
	"The password is base64 encoded.",
	"Stores the user's password with argon2id and a pepper.",
	"The user password is never logged since v2.0.",
	"Set user and password in config.yaml.",
	"Username and password: OAuth2 comes later.",
	"Use your username and password to log in.",
	"user: string, password: string (both required)",
	"username: text, password: text, port: 3306",
	"User: the account. Password: its password.",
	"login: required, password: required for v2 of the API",
	"username=<your user> password=<your password> connects",
	"user: YOUR_USER password: YOUR_PASSWORD for the demo",
	"user: $DB_USER password: $DB_PASSWORD of the environment",
	"user: {user}, password: {password2}, then connect",
	"Account: optional; password: optional; both since 1.2.0",
	"Supports password, OAuth2 and SSO2 login.",
	"A password with at least 12 characters and 2 digits.",
	"Password length: 12 to 64 characters",
	"Password policy: min8 is the default",
	"Without a password the server uses port 5432.",
	"The passphrase is a list of 12 words (BIP39).",
	"Passphrase: BIP39 words of the wallet",
	"Passwordless login with FIDO2 keys",
	"password authentication failed for user ann42 (SQLSTATE 28P01)",
	"error: password authentication failed for user \"postgres\"",
	"All 42 tests pass: py312, py313 and pypy3 are green.",
	"Tests pass on x86_64 and arm64.",
	"Bypass: HTTP2 traffic is passed to h2c.",
	"pass: true if v2 is used",
	"Email: ann@example.com, password protected zip7 files are skipped.",
	"Create the user, set its password, then run step2 of the guide.",
	"The login form has 2 fields: user and password; see form1.png.",
	"User: admin\n\nSee the password in settings2.json.",
	"Password manager: 1Password7 and KeePass2 are supported.",
	"Password reset by mail: see RFC5322 for the form.",
	"Change the password with `ALTER USER x PASSWORD 'new'` (Postgres16).",
	"Account: billing. Password: not needed in sandbox2.",
}
