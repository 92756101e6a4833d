package settings

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"mcpcensus/internal/registry"

	"github.com/google/go-cmp/cmp"
)

func TestPublic(t *testing.T) {
	const key = "q7Zx93mWv02LpKd48sTn"
	for text, want := range map[string]string{
		"the zone is north":                                                          "the zone is north",
		"ghp_" + key + key:                                                           "YOUR_TOKEN",
		"xoxb-1234567-7654321-abcdefghij":                                            "YOUR_TOKEN",
		"sk-live-wmFjfPxlNTokgxqEyqLRGnqPsoJp":                                       "YOUR_TOKEN",
		"sk-live-wmFjfPxlNTokgxqEyqLRGnqPs2Jp":                                       "YOUR_TOKEN",
		"sk-live-xxxxxxxxXXXXXXXXxxxxxxxx hf_ModelContextProtocolServer":             "sk-live-xxxxxxxxXXXXXXXXxxxxxxxx hf_ModelContextProtocolServer",
		"ghp_YourGitHubTokenGoesIn1 sk-ant-xxxxXxXxXxXxXxXxXx":                       "ghp_YourGitHubTokenGoesIn1 sk-ant-xxxxXxXxXxXxXxXxXx",
		"sk-your-key-here":                                                           "sk-your-key-here",
		`"api_key": "` + key + `"`:                                                   `"api_key": "YOUR_TOKEN"`,
		`use X-Long-Api-Key: ` + key:                                                 `use X-Long-Api-Key: YOUR_TOKEN`,
		`{\"TIDE_TOKEN\":\"` + key + `\"}`:                                           `{\"TIDE_TOKEN\":\"YOUR_TOKEN\"}`,
		"--token " + key + " --zone north":                                           "--token YOUR_TOKEN --zone north",
		"$ x --token tides7 --zone north1":                                           "$ x --token YOUR_TOKEN --zone north1",
		"$ x --api-key \"tides7\"":                                                   "$ x --api-key \"YOUR_TOKEN\"",
		"--token Sommer24!":                                                          "--token YOUR_TOKEN",
		`["--api-key", "Sommer24", "--zone", "a1"]`:                                  `["--api-key", "YOUR_TOKEN", "--zone", "a1"]`,
		"Server=db7.corp.internal;Database=tides":                                    "Server=YOUR_HOST;Database=tides",
		"| `--token`, `--zone2` | server: tides.dev |":                               "| `--token`, `--zone2` | server: tides.dev |",
		" --token string RFC 6750 --token $T1 --token <t1>":                          " --token string RFC 6750 --token $T1 --token <t1>",
		"Cookie: session=tidestides; zone=1":                                         "Cookie: session=YOUR_TOKEN; zone=1",
		"mysql -h db -u root -ptides77 zones":                                        "mysql -h db -u root -pYOUR_TOKEN zones",
		"Authorization: Bearer " + key:                                               "Authorization: Bearer YOUR_TOKEN",
		"https://tides.dev/mcp?api_key=" + key + "&zone=1":                           "https://tides.dev/mcp?api_key=YOUR_TOKEN&zone=1",
		"https://" + key + "@tides.dev":                                              "https://YOUR_TOKEN@tides.dev",
		"postgres://ann:hunter2@db:5432/tides":                                       "postgres://YOUR_USER:YOUR_PASSWORD@db:5432/tides",
		"postgres://ann:<password>@db/t postgres://root:x@db/t":                      "postgres://YOUR_USER:<password>@db/t postgres://root:YOUR_PASSWORD@db/t",
		"postgres://user:pass@db/t redis://:hunter2@db/t":                            "postgres://user:YOUR_PASSWORD@db/t redis://:YOUR_PASSWORD@db/t",
		"http://${USER}:${PASSWORD}@db/t":                                            "http://${USER}:${PASSWORD}@db/t",
		"My API key is " + key + ".":                                                 "My API key is YOUR_TOKEN.",
		"**Token**: `" + key + "`":                                                   "**Token**: `YOUR_TOKEN`",
		"| `API_KEY` | required | `" + key + "` |":                                   "| `API_KEY` | required | `YOUR_TOKEN` |",
		"| Zone | API key |\n|---|---|\n| north | " + key + " |":                     "| Zone | API key |\n|---|---|\n| north | YOUR_TOKEN |",
		"| Zone | Tide id |\n|---|---|\n| north | " + key + " |":                     "| Zone | Tide id |\n|---|---|\n| north | " + key + " |",
		"the token is at commit " + key:                                              "the token is at commit " + key,
		"the key of " + strings.Repeat("ab12", 10):                                   "the key of " + strings.Repeat("ab12", 10),
		"the key is 123e4567-e89b-12d3-a456-426614174000":                            "the key is 123e4567-e89b-12d3-a456-426614174000",
		"Token address: " + key + ". Public key: " + key:                             "Token address: " + key + ". Public key: " + key,
		"the key AKIAQWERTYUIOPASDFGH, AKIAIOSFODNN7EXAMPLE":                         "the key YOUR_TOKEN, AKIAIOSFODNN7EXAMPLE",
		"password: Tr0ub4d0r3x, OAuth2.1 key: ed25519":                               "password: YOUR_TOKEN, OAuth2.1 key: ed25519",
		"sha=\"sha512-" + key + "\" key: utf8mb4 token: string":                      "sha=\"sha512-" + key + "\" key: utf8mb4 token: string",
		"image@sha256:" + strings.Repeat("ab12", 16):                                 "image@sha256:" + strings.Repeat("ab12", 16),
		"commit 9d6dcb576a9d6dcb576a9d6dcb576a":                                      "commit 9d6dcb576a9d6dcb576a9d6dcb576a",
		"DB_PASSWORD: tiger\nENV API_TOKEN north":                                    "DB_PASSWORD: YOUR_TOKEN\nENV API_TOKEN YOUR_TOKEN",
		"API_TOKEN: Required\nAPI_TOKEN: token of":                                   "API_TOKEN: Required\nAPI_TOKEN: token of",
		`A_PASS="my dog ate" "API_KEY": 'it is'`:                                     `A_PASS="YOUR_TOKEN" "API_KEY": 'YOUR_TOKEN'`,
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n":                                    "YOUR_PRIVATE_KEY",
		"by Ann <ann@tides.dev>":                                                     "by Ann <YOUR_EMAIL>",
		"git@github.com:octo/tides.git user@example.com":                             "git@github.com:octo/tides.git user@example.com",
		"x:1/u/ann@tides.dev/mcp a/b@1.0.rc //a@tides.dev":                           "x:1/u/YOUR_EMAIL/mcp a/b@1.0.rc //a@tides.dev",
		"npx tides-mcp@latest @octo/tides.mcp":                                       "npx tides-mcp@latest @octo/tides.mcp",
		`"cwd": "/Users/ann/tides"`:                                                  `"cwd": "/Users/YOUR_NAME/tides"`,
		`C:\\Users\\ann\\tides C:\Users\ann`:                                         `C:\\Users\\YOUR_NAME\\tides C:\Users\YOUR_NAME`,
		"file:///home/ann/tides":                                                     "file:///home/YOUR_NAME/tides",
		"sqlite:////home/ann/tides.db":                                               "sqlite:////home/YOUR_NAME/tides.db",
		"-v data:/home/node/data /home/<name>/x /home/app":                           "-v data:/home/node/data /home/<name>/x /home/app",
		"https://tides.dev/Users/ann":                                                "https://tides.dev/Users/ann",
		"http://vault.corp.internal:8200/v1":                                         "http://YOUR_HOST:8200/v1",
		"http://host.docker.internal:1 https://tides.example/":                       "http://host.docker.internal:1 https://tides.example/",
		"db7.corp.internal:5432, DB_HOST=db7.corp.internal":                          "YOUR_HOST:5432, DB_HOST=YOUR_HOST",
		`\\wsl$\U\home\ann`:                                                          `\\wsl$\U\home\YOUR_NAME`,
		`\\wsl.localhost\D\home\ann`:                                                 `\\wsl.localhost\D\home\YOUR_NAME`,
		"~ann/tides; ~user/x https://tides.dev/~ann/":                                "~YOUR_NAME/tides; ~user/x https://tides.dev/~ann/",
		`\\nas7\tides "\\\\nas7\\tides"`:                                             `\\YOUR_HOST\tides "\\\\YOUR_HOST\\tides"`,
		"mailto:ann%40tides.dev":                                                     "mailto:YOUR_EMAIL",
		"http://192.168.1.20:8200":                                                   "http://192.168.1.20:8200",
		"[\"-k\",\n  \"q8W7e6R5t4Y3u2I1o0P9a8\", \"--zone\", \"north-sea-tides-7\"]": "[\"-k\",\n  \"YOUR_TOKEN\", \"--zone\", \"north-sea-tides-7\"]",
		"[\"--token\",\n\"winter\", \"--key\", \"<key>\"]":                           "[\"--token\",\n\"YOUR_TOKEN\", \"--key\", \"<key>\"]",
		`["--ref", "9d6dcb576a9d6dcb576a9d6dcb576a9d6dcb576a"]`:                      `["--ref", "9d6dcb576a9d6dcb576a9d6dcb576a9d6dcb576a"]`,
		`["--directory", "/srv/9d6dcb576a9d6dcb576a", "--auth", "none"]`:             `["--directory", "/srv/9d6dcb576a9d6dcb576a", "--auth", "none"]`,
		`"url": "https://tides.dev/s/8f14e45fceea167a5a36/mcp"`:                      `"url": "https://tides.dev/s/{s_token}/mcp"`,
		"url = 'https://mcp.tides.dev/s/8f14e45fceea167a5a36'":                       "url = 'https://mcp.tides.dev/s/{s_token}'",
		`"url": "https://github.com/o/r/commit/8f14e45fceea167a5a36"`:                `"url": "https://github.com/o/r/commit/8f14e45fceea167a5a36"`,
		"https://tides.dev/commit/8f14e45fceea167a5a36 -e TIDE_KEY=abc123":           "https://tides.dev/commit/8f14e45fceea167a5a36 -e TIDE_KEY=YOUR_TOKEN",
		"PRIMARY_KEY=user_id2 TLS_KEY=/etc/ssl/key1.pem HOT_KEY=ctrl+k":              "PRIMARY_KEY=user_id2 TLS_KEY=/etc/ssl/key1.pem HOT_KEY=ctrl+k",
		"/%" + strings.Repeat("25", maxEncoded-1) + "40":                             "/%" + strings.Repeat("25", maxEncoded-1) + "40",
		"/%" + strings.Repeat("25", maxEncoded) + "40":                               "/YOUR_VALUE",
		"sk-a1b2c3d4e5f6 sk-a1b2c3d4e5f6\nann@tides.dev\n":                           "YOUR_TOKEN YOUR_TOKEN\nYOUR_EMAIL\n",
	} {
		got := Public(text)
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if again := Public(got); again != got {
			t.Errorf("%s: then %s", got, again)
		}
	}
}

// TestSecretsAtAllPlaces checks that secrets of all forms are replaced at the places where texts
// have them, and that what describes them stays.
func TestSecretsAtAllPlaces(t *testing.T) {
	secrets := []string{"ghp_Ab3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "q7Zx93mWv02LpKd48sTn", "fjWkQmTzLxRvBnPsHdCyGuEa",
		"9f86d081884c7d659a2feaa0c55ad015", "hunter2", "correct-horse-battery", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzEXAKEY12",
		"kjhgfdsaqwertyuiopzxcvbn", "84920174650183"}
	for _, form := range []string{
		"```\nTIDES_API_KEY=SECRET\n```", "TIDES_TOKEN=\"SECRET\"", "# TIDES_PASSWORD='SECRET'",
		`{"TIDES_API_KEY": "SECRET"}`,
		`// "TIDES_API_KEY": "SECRET",`, `{"password": "SECRET"}`, "api_key = 'SECRET'", "apiKey: 'SECRET'",
		"`export TIDES_PASSWORD=SECRET`", `$env:TIDES_TOKEN = "SECRET"`, "`docker run -e TIDES_TOKEN=SECRET x`",
		"`tides --token=SECRET`", "`curl -u admin:SECRET https://tides.dev`",
		"`curl -H 'Authorization: Bearer SECRET' https://tides.dev`", "https://tides.dev/mcp?api_key=SECRET",
		"![x](https://tides.dev/badge.svg?token=SECRET)", "[x](https://tides.dev/#access_token=SECRET)",
		`<img src="https://tides.dev/x?apikey=SECRET">`, `<add key="ApiKey" value="SECRET" />`,
		"Server=db;User Id=sa;Password=SECRET;Database=x", `Client(api_key="SECRET")`, "const apiKey = 'SECRET';",
		`{\"env\":{\"TIDES_TOKEN\":\"SECRET\"}}`, "\"TIDES_TOKEN\":\n    \"SECRET\"", "environment:\n  - TIDES_TOKEN=SECRET",
		`{"name": "TIDES_TOKEN", "value": "SECRET"}`, "- name: TIDES_TOKEN\n  value: SECRET", "DB_PASS=SECRET",
		"<password>SECRET</password>", "<key>TIDES_TOKEN</key>\n<string>SECRET</string>", "**Password**: `SECRET`",
		`npx mcp-remote https://tides.dev/mcp --header "X-API-Key: SECRET"`, `"args": ["--header", "X-API-Key:SECRET"]`,
		`curl -H "X-API-Key: SECRET" https://tides.dev`, `--header=\"X-Token: Key SECRET\"`,
		`{"headers": {"Authorization": "SECRET"}}`, `{"headers": {"Authorization": "Token SECRET"}}`,
		"args:\n  - --api-key\n  - SECRET\n", "args: [--api-key, SECRET]", `{\"args\":[\"--api-key\",\"SECRET\"]}`,
		`{"id": "api_key", "default": "SECRET"}`,
		"the password is \"SECRET\"", "Login\n- Tides password: SECRET\n", "Passwort: SECRET", "密码：SECRET",
	} {
		for _, secret := range secrets {
			text := strings.Replace(form, "SECRET", secret, 1)
			if got := Public(text); strings.Contains(got, secret) || Public(got) != got {
				t.Errorf("%s: got %s", text, got)
			}
		}
	}
	for _, form := range []string{"Password: SECRET, zone: north", "| Password | SECRET |",
		"<tr><td>Password</td><td>SECRET</td></tr>", "My password is SECRET", "machine x login ann password SECRET",
		"Login | Password\n---|---\nnorth | SECRET", "Password: SECRET and the zone", "- pass: SECRET",
		"user: ann, pwd: SECRET",
		"<table><tr><th>Login<th>Password<tr><td>north<td>SECRET</table>",
		"<table>\n<tr><th>Login</th>\n<th>Password</th></tr>\n<tr><td>north</td><td><code>SECRET</code></td></tr></table>",
		"Log in with password SECRET to see it", "Sign in with admin/SECRET", "Credentials: `root` / `SECRET`",
		"password — SECRET", "contraseña: SECRET", "Kennwort: SECRET", "Hasło: `SECRET`", "şifre: SECRET",
		"`sshpass -p SECRET ssh tides.dev`", "docker login tides.dev -u ann -p SECRET", "redis-cli -h tides.dev -a SECRET",
		"sshpass -p SECRET ssh -p 2222 tides.dev", "docker login -u ann -p SECRET x && docker run -p 80:80 x",
		"curl -uann:SECRET https://tides.dev", "mysql -h tides.dev -pSECRET", "CREATE USER ann IDENTIFIED BY 'SECRET';",
		"MYSQL_PWD=SECRET mysql tides", "setx TIDES_PASSWORD SECRET", "Default password: `SECRET` (change it)",
		"пароль: SECRET", "the password is: SECRET"} {
		if got := Public(strings.Replace(form, "SECRET", "hunter2", 1)); strings.Contains(got, "hunter2") {
			t.Errorf("%s: got %s", form, got)
		}
	}
	for _, form := range []string{
		"User | Password\n---|---\nann | SECRET", "| E-mail | `Password` |\n|-|-|\n| ann | **SECRET** |",
		"<tr><th>User</th><th>Password</th></tr>\n<tr><td>ann</td><td>SECRET</td></tr>", "user: ann, password: SECRET",
		"the password is **SECRET**", "user `ann` and password `SECRET`", "Log in with the password `SECRET`."} {
		if got := Public(strings.Replace(form, "SECRET", "sesame", 1)); strings.Contains(got, "sesame") {
			t.Errorf("%s: got %s", form, got)
		}
	}
	for _, text := range []string{
		"--- PASS: TestTides1 (0.1s)", "| User | Password |\n|-|-|\n| Basic | required |",
		"| Name | Value |\n|-|-|\n| `DB_PASSWORD` | password |\n| `DB_HOSTS` | host1,host2 |", "the first pass: tides1",
		"users: zone1/zone2", "Log in with a password or `--token`", "password in base64 or utf8", "User | Password",
		"The token is required.", "`--token` sets the token", `{"token": "string"}`, "TIDES_TOKEN=$TOKEN", "KEY=value",
		`result_key: "grayscale"`, `"js-tiktoken": "^1.0.19"`, `{"key": "fileReadLineLimit"}`,
		`"DB_URL": "sqlite:///data/x.db"`,
		"Password: <password>", "the password is `--password`", "- password: `string`", "<token>north</zone>",
		"Password: your-password", "`~/tides` ~10/s `\\\\d+\\\\w`",
		`--header "X-API-Key: $KEY"`, `-H "X-API-Key: <key>"`, `--header "Zone: north-sea"`, `"-H", "X-API-Key: ${KEY}"`,
		`"--db-url", "neo4j+s://xxxx.tides.dev"`, `{"Authorization": "Bearer ${TOKEN}"}`, "args:\n  - --api-key\n  - --zone\n", "[--token, ${TOKEN}]",
		`{"secretKeyRef": {"key": "TIDES_TOKEN"}}`, `apiKey: process.env.TIDES_KEY`, "username/password: `--username`",
		"Password: at least 8 characters", "| password | SOCKS5 password | yes |", `"bearer_token_env_var": "TIDES_TOKEN"`,
		"getModelContextProtocolToken: ModelContextProtocolServer", "settings.local.json, app.internal.x", "localhost:8080",
	} {
		if got := Public(text); got != text {
			t.Errorf("%s: got %s", text, got)
		}
	}
}

// TestPublicSchema checks that schemas of tools keep no defaults of secrets.
func TestPublicSchema(t *testing.T) {
	for in, want := range map[string]string{
		`{"properties":{"api_key":{"type":"string","default":"abracadabra"},"zone":{"default":"north"}}}`: "" +
			`{"properties":{"api_key":{"type":"string","default":"YOUR_TOKEN"},"zone":{"default":"north"}}}`,
		`{"properties":{"x":{"properties":{"password":{"default":"letmein"}}}}}`: "" +
			`{"properties":{"x":{"properties":{"password":{"default":"YOUR_TOKEN"}}}}}`,
		`{"properties":{"token":{"enum":["a","north"],"default":"north"}}}`:                "",
		`{"properties":{"token":{"default":"token"},"password":{"default":"<password>"}}}`: "",
	} {
		if want == "" {
			want = in
		}
		if d := cmp.Diff(want, string(publicJSON([]byte(in)))); d != "" {
			t.Error(d)
		}
	}
}

func TestOpenQuery(t *testing.T) {
	const key = "q7Zx93mWv02LpKd48sTn"
	for address, want := range map[string]string{
		"https://tides.dev/mcp":                             "https://tides.dev/mcp",
		"https://tides.dev/mcp?zone=1&words=keywords#x":     "https://tides.dev/mcp?zone=1&words=keywords#x",
		"https://tides.dev/mcp?api_key=" + key + "&zone=1":  "https://tides.dev/mcp?api_key={api_key}&zone=1",
		"https://tides.dev/mcp?zone=1&api_key=YOUR_TOKEN#x": "https://tides.dev/mcp?zone=1&api_key={api_key}#x",
		"https://tides.dev/mcp?q=YOUR_TOKEN&z=YOUR_ZONE":    "https://tides.dev/mcp?q={q_token}&z={z}",
		"https://tides.dev/mcp?q=ghp_" + key + key:          "https://tides.dev/mcp?q={q_token}",
		"https://tides.dev/mcp?token={TIDE}&key=":           "https://tides.dev/mcp?token={TIDE}&key=",
		"https://tides.dev/mcp?user=wilma&team=1&org=admin": "https://tides.dev/mcp?user={user}&team=1&org=admin",
	} {
		got, _ := OpenQuery(address)
		if got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
		if again, names := OpenQuery(got); again != got || names != nil {
			t.Errorf("%s: then %s", got, again)
		}
	}
}

func TestOpenParts(t *testing.T) {
	const key, uuid = "q7Zx93mWv02LpKd48sTn", "123e4567-e89b-12d3-a456-426614174000"
	for address, want := range map[string]string{
		"https://tides.dev/mcp":                                 "https://tides.dev/mcp",
		"https://tides-" + key + ".a.run.app/v1/mcp?x=" + key:   "https://tides-" + key + ".a.run.app/v1/mcp?x=" + key,
		"https://tides.dev/s/" + key + "/mcp":                   "https://tides.dev/s/{s_token}/mcp",
		"https://tides-" + key + ".sea.a.run.app/mcp":           "https://{host_token}.sea.a.run.app/mcp",
		"https://" + key + ".a.run.app/mcp":                     "https://" + key + ".a.run.app/mcp", // of an owner
		"https://" + key + ".mcp.tides.dev/mcp":                 "https://{host_token}.mcp.tides.dev/mcp",
		"https://tides.dev/u/ann@tides.dev/mcp":                 "https://tides.dev/u/{u_token}/mcp",
		"https://tides.dev/auth/v1/mcp":                         "https://tides.dev/auth/v1/mcp",
		"https://tides.dev/api-key/mcp2":                        "https://tides.dev/api-key/mcp2",
		"https://tides.dev/token/hunter2/mcp":                   "https://tides.dev/token/{token_token}/mcp",
		"https://tides.dev/t/8f3a9c2d/token/mcp":                "https://tides.dev/t/{t_token}/token/mcp",
		"https://tides.dev/849201746501838492/v1beta2":          "https://tides.dev/{path_token}/v1beta2",
		"https://tides.dev/@octo/tides-mcp2/oauth2/mcp":         "https://tides.dev/@octo/tides-mcp2/oauth2/mcp",
		"https://tides.dev/" + uuid:                             "https://tides.dev/{path_token}",
		"https://tides.dev/a/" + key + "/a/" + key + "?zone=1":  "https://tides.dev/a/{a_token}/a/{a2_token}?zone=1",
		"https://tides.dev/s/{key}/mcp":                         "https://tides.dev/s/{key}/mcp",
		"https://tides.dev/model-context-protocol-servers/2025": "https://tides.dev/model-context-protocol-servers/2025",
	} {
		if got := OpenParts(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

func TestPublicDocument(t *testing.T) {
	in := `{"remotes":[{"url":"https://tides.dev","headers":[{"name":"Authorization","value":"Bearer hunter2"},` +
		`{"name":"X-Zone","value":"north"},{"name":"X-Key","value":"{key}","variables":{"key":{"default":"a"}}},` +
		`{"name":"X-Id","isSecret":true,"default":"hunter3"}]}]}`
	want := strings.NewReplacer("Bearer hunter2", "YOUR_TOKEN", "hunter3", "YOUR_TOKEN").Replace(in)
	if d := cmp.Diff(want, string(publicJSON([]byte(in)))); d != "" {
		t.Error(d)
	}
}

func TestPublicJSON(t *testing.T) {
	const key = "q7Zx93mWv02LpKd48sTn"
	in := `{"b": "x\nann@tides.dev\n/home/ann/x", "api_key": "` + key + `", "a": [1.0, "\n` + key + `"]}`
	want := `{"b": "x\nYOUR_EMAIL\n/home/YOUR_NAME/x", "api_key": "YOUR_TOKEN", "a": [1.0, "\n` + key + `"]}`
	if d := cmp.Diff(want, string(publicJSON([]byte(in)))); d != "" {
		t.Error(d)
	}
}

func TestClean(t *testing.T) {
	const key = "q7Zx93mWv02LpKd48sTn"
	type variable = registry.Variable
	type arguments = []registry.Argument
	positional := func(value string) registry.Argument { return registry.Argument{Type: "positional", Value: value} }
	blank := func(before, name string, v variable) registry.Argument {
		v.IsRequired = true
		return registry.Argument{Type: "positional", Value: before + "{" + name + "}", IsRequired: true,
			Variables: map[string]variable{name: v}}
	}
	for name, tt := range map[string]struct{ in, want registry.Package }{
		"variables": {
			registry.Package{EnvironmentVariables: []variable{
				{Name: "A_TOKEN", Value: "hunter2", Placeholder: "hunter3"},
				{Name: "B_TOKEN", IsSecret: true, Placeholder: "YOUR_B"},
				{Name: "C_URL", Value: "http://10.0.0.7:80", Default: "http://10.0.0.8"},
				{Name: "D_ID", Default: key, Description: "mail ann@tides.dev"},
				{Name: "E", Value: "Bearer {x}", Variables: map[string]variable{"x": {Default: "/home/ann/x"}}},
				{Name: "F_LEVEL", Value: "info", Choices: []string{"info", "debug"}},
				{Name: "G_URL", Value: "https://nas.internal/x"},
				{Name: "H_USER", Default: "wilma", Description: "Name (default: wilma, as wilmas)"},
				{Name: "I_USER", Default: "admin", Description: "Name (default: admin)"},
			}},
			registry.Package{EnvironmentVariables: []variable{
				{Name: "A_TOKEN"},
				{Name: "B_TOKEN", IsSecret: true, Placeholder: "YOUR_B"},
				{Name: "C_URL", Placeholder: "http://10.0.0.7:80"},
				{Name: "D_ID", Description: "mail YOUR_EMAIL"},
				{Name: "E", Value: "Bearer {x}", Variables: map[string]variable{"x": {
					Placeholder: "/home/YOUR_NAME/x"}}},
				{Name: "F_LEVEL", Value: "info", Choices: []string{"info", "debug"}},
				{Name: "G_URL", Placeholder: "https://YOUR_HOST/x"},
				{Name: "H_USER", Description: "Name (default: YOUR_VALUE, as wilmas)"},
				{Name: "I_USER", Default: "admin", Description: "Name (default: admin)"},
			}},
		},
		"arguments": {
			registry.Package{PackageArguments: arguments{
				positional("--api-key"), positional("hunter2"), positional("--url=http://10.0.0.7"),
				positional("--zone"), positional("north"), positional("--token=YOUR_TOKEN"), positional("--verbose"),
				positional("--label"), positional("owner=wilma"), positional("level=wilma"),
			}},
			registry.Package{PackageArguments: arguments{
				positional("--api-key"), blank("", "API_KEY", variable{IsSecret: true}),
				blank("--url=", "URL", variable{Placeholder: "http://10.0.0.7"}),
				positional("--zone"), positional("north"), positional("--token=YOUR_TOKEN"), positional("--verbose"),
				positional("--label"), blank("owner=", "VALUE", variable{}), positional("level=wilma"),
			}},
		},
		"mounts": {
			registry.Package{RuntimeArguments: arguments{
				{Type: "named", Name: "-v", Value: "/Users/ann/tides:/data:ro"},
				positional("--mount=type=bind,src=/home/ann/tides,dst=/data"), positional("-v"), positional("tides:/data"),
			}},
			registry.Package{RuntimeArguments: arguments{
				{Type: "named", Name: "-v", Value: "{V}:/data:ro", IsRequired: true, Variables: map[string]variable{
					"V": {IsRequired: true, Placeholder: "/Users/YOUR_NAME/tides"}}},
				{Type: "positional", Value: "--mount=type=bind,src={MOUNT},dst=/data", IsRequired: true,
					Variables: map[string]variable{"MOUNT": {IsRequired: true, Placeholder: "/home/YOUR_NAME/tides"}}},
				positional("-v"), positional("tides:/data"),
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			Clean(&tt.in)
			if d := cmp.Diff(tt.want, tt.in); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCleanIsComplete plants private texts in every text of a record.
func TestCleanIsComplete(t *testing.T) {
	for _, private := range []string{"ghp_16C7e42F292c6912E7710c838347Ae178B4a", "/Users/wilma/tides",
		"wilma@tides.dev", "https://vault.corp.internal/x", `C:\Users\wilma\tides`} {
		var d registry.Detection
		fill(&d, private)
		Clean(&d)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"ghp_", "wilma", "internal"} {
			if strings.Contains(string(text), part) {
				t.Errorf("%s: %s in %.2000s", private, part, text)
			}
		}
	}
}

// fill sets all texts in the value that v points to, with one element in each list and map.
func fill(v any, text string) { fillValue(reflect.ValueOf(v).Elem(), text, 8) }

func fillValue(v reflect.Value, text string, depth int) {
	if depth == 0 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), text, depth-1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillValue(v.Field(i), text, depth-1)
			}
		}
	case reflect.Map:
		elem := reflect.New(v.Type().Elem()).Elem()
		fillValue(elem, text, depth-1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("x"), elem)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			quoted, _ := json.Marshal(text)
			v.SetBytes(quoted)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillValue(v.Index(0), text, depth-1)
	}
}

// TestPublicLinks checks that install links lose what is private, and stay readable.
// Words of documentation that look like accounts with passwords stay.
func TestPublicWordsOfDocumentation(t *testing.T) {
	for _, line := range []string{"contraseña: obligatoria", "mot de passe : obligatoire",
		"Users: `admin/directory_v1` scope",
		"docker login tides.dev -p $TOKEN", "`sshpass -p <password> ssh tides.dev`", "users are identified by email",
		"files are identified by sha256", "docker login && docker run -p 8080:8080 acme/x",
		"redis-cli ping && ls -a /var/lib"} {
		if got := Public(line); got != line {
			t.Errorf("%q: %q", line, got)
		}
	}
	rows := strings.Repeat("<table><tr><td>", 70_000) // 1 MB without an end
	if got := Public(rows); got != rows {
		t.Error("rows without an end changed")
	}
}

func TestPublicLinks(t *testing.T) {
	const key, config = "q7Zx93mWv02LpKd48sTn", `{"command":"npx","args":["-y","tides-mcp"],"env":{"TIDE_TOKEN":"%s"}}`
	link := func(value string) map[string]string {
		json := strings.Replace(config, "%s", value, 1)
		packed := base64.StdEncoding.EncodeToString([]byte(json))
		cursor := "cursor://x/mcp/install?name=tides&config="
		return map[string]string{
			"packed":         cursor + url.QueryEscape(packed),
			"packed, URL":    cursor + base64.RawURLEncoding.EncodeToString([]byte(json)),
			"escaped":        "vscode:mcp/install?" + url.QueryEscape(json),
			"in a redirect":  "https://vscode.dev/redirect?url=" + url.QueryEscape("vscode:mcp/install?"+url.QueryEscape(json)),
			"packed, inside": "https://tides.dev/go?url=" + url.QueryEscape(cursor+url.QueryEscape(packed)),
		}
	}
	read := func(s string) string {
		for range 3 {
			s, _ = url.QueryUnescape(s)
		}
		if _, packed, ok := strings.Cut(s, "config="); ok {
			return string(DecodeBase64(packed))
		}
		return s[strings.Index(s, "{"):]
	}
	plain := link("YOUR_TOKEN")
	for name, text := range link(key) {
		got := strings.TrimSuffix(strings.TrimPrefix(Public("[add]("+text+") it"), "[add]("), ") it")
		if read(got) != read(plain[name]) || Public(got) != got {
			t.Errorf("%s: got %s, which has %s", name, got, read(got))
		}
		if again := Public(plain[name]); again != plain[name] {
			t.Errorf("%s without a secret: got %s", name, again)
		}
	}
}

// TestCleanDescriptions is the table of what the description of a secret keeps.
func TestCleanDescriptions(t *testing.T) {
	for text, want := range map[string]string{
		"your key, e.g. td_9xY8zW7vQ1aB":           "your key, e.g. YOUR_TOKEN",
		"key like `hunter2`, `x`":                  "key like `YOUR_TOKEN`, `x`",
		"password (default: `letmein`)":            "password (default: `YOUR_TOKEN`)",
		"password, default letmein":                "password, default YOUR_TOKEN",
		"Defaults to letmein. Change it":           "Defaults to YOUR_TOKEN. Change it",
		"PIN, default 4711":                        "PIN, default YOUR_TOKEN",
		"for example \"abracadabra\"":              "for example \"YOUR_TOKEN\"",
		"e.g. `sk-...`, `<token>`, ghp_xxx":        "e.g. `sk-...`, `<token>`, ghp_xxx",
		"default: your_token":                      "default: your_token",
		"By default requests have no key":          "By default requests have no key",
		"Key of Tides (default model)":             "Key of Tides (default model)",
		"For example 'Bearer <tide key>'":          "For example 'Bearer <tide key>'",
		"default none, e.g. GitHub":                "default none, e.g. GitHub",
		"Default is the value of `TIDE_TOKEN`":     "Default is the value of `TIDE_TOKEN`",
		"of `https://tides.dev/k3y`, `--key=1`":    "of `https://tides.dev/k3y`, `--key=1`",
		"e.g. `TIDE_TOKEN` or OAuth 2.0, 32 bytes": "e.g. `TIDE_TOKEN` or OAuth 2.0, 32 bytes",
	} {
		v := registry.Variable{IsSecret: true, Description: text}
		args := []registry.Argument{{IsSecret: true, Description: text}}
		for range 2 { // what is clean stays as it is
			Clean(&v)
			Clean(&args)
			if v.Description != want || args[0].Description != want {
				t.Errorf("%s: got %s and %s, want %s", text, v.Description, args[0].Description, want)
			}
		}
	}
	open := registry.Variable{Name: "ZONE", Description: "e.g. `north4`"}
	if Clean(&open); open.Description != "e.g. `north4`" {
		t.Errorf("not secret: %s", open.Description)
	}
}

// TestRemovedSecrets checks that a variable is secret if its value was removed.
func TestRemovedSecrets(t *testing.T) {
	for example, want := range map[string]bool{"YOUR_TOKEN": true, "YOUR_ZONE": false} {
		v := registry.Variable{Name: "CHAT", Placeholder: example}
		if Clean(&v); v.IsSecret != want {
			t.Errorf("%s: secret: %t", example, v.IsSecret)
		}
	}
}
