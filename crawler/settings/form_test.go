package settings

import "testing"

// TestIsPrivate is the table of what a README's value may be for everybody.
func TestIsPrivate(t *testing.T) {
	for value, want := range map[string]bool{
		"8080": false, "true": false, "info": false, "north,south": false, "en_US.UTF-8": false,
		"gpt-4o-mini": false, "claude-3-5-sonnet-20241022": false, "qwen2.5:7b": false,
		"meta-llama/Llama-3.3-70B-Instruct": false, "BAAI/bge-small-en-v1.5": false, "v1alpha1": false,
		"1920x1080x24": false, "2024-01-01T00:00:00Z": false, "Europe/Berlin": false, "**/*.mp4": false,
		"https://api.tides.dev/v2?zone=1&Name=b2": false, "http://localhost:8080": false, "http://0.0.0.0:1": false,
		"/var/lib/tides": false, "git+https://tides.dev/x@9d6dcb576a9d6dcb576a9d6dcb576a9d6dcb576a": false,
		"http://host.docker.internal:1": false, "https://YOUR_HOST/x": false, "--max-size=4096": false,

		"Tr0ub4dor&3": true, "Qx7!pLm2#zR": true, "AKIAIOSFODNN7EXAMPLF": true, "aGVsbG86d29ybGQ=": true,
		"f00dfeed1234": true, "http://nas01:9000": true, "http://nas.fritz.box:9000": true, "nas.local": true,
		"https://ann7.ngrok-free.app/x": true, "ann.duckdns.org": true, "ann@tides.dev": true,
		"Email:ann@tides.dev": true, "Server=db;Password=hunter;": true,
		"https://tides.dev/x?sig=hunter": true, "https://tides.dev/x?key=correcthorse": true,
		"https://hooks.tides.dev/T024BE7LD/B01/x8Kq2Lm4Zt9": true, "https://ann:hunter2@tides.dev": true,
		"https://tides.dev/u/8f14e45f-ceea-467f-a0e6-1b2c3d4e5f60/x": true,
		"/var/home/ann/x": true, "/mnt/c/Users/ann/x": true, "-v/home/ann:/d": true, "/Volumes/Ann/x": true,
		`C:\Users\Ann Smith\x`: true, `\\fs01\share\ann`: true,
	} {
		if got := IsPrivate(value); got != want {
			t.Errorf("%s: got %v, want %v", value, got, want)
		}
	}
}

// TestPublicFolders checks that the names of users in folders of all systems are placeholders.
func TestPublicFolders(t *testing.T) {
	for text, want := range map[string]string{
		`C:\Users\Ann Smith\x`:    `C:\Users\YOUR_NAME\x`,
		"/mnt/c/Users/ann/x":      "/mnt/c/Users/YOUR_NAME/x",
		"/var/home/ann/x":         "/var/home/YOUR_NAME/x",
		"/Volumes/Ann/x":          "/Volumes/YOUR_NAME/x",
		"run -itv/home/ann/y:/d":  "run -itv/home/YOUR_NAME/y:/d",
		"-I/Users/ann":            "-I/Users/YOUR_NAME",
		"/home/ann Then go on":    "/home/YOUR_NAME Then go on",
		"see Email:ann@tides.dev": "see Email:YOUR_EMAIL",
		"x/home/ann a-b/home/ann": "x/home/ann a-b/home/ann",
	} {
		if got := Public(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
