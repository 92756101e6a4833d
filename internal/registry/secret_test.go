package registry

import (
	"strings"
	"testing"
)

// TestIsSecretName is the table of names of variables, options, headers and parameters.
func TestIsSecretName(t *testing.T) {
	for want, names := range map[bool]string{
		true: `GITHUB_TOKEN DB_PASSWORD OPENAI_API_KEY APIKEY KEY API_KEYS PAT PAT_VALUE api_key apiKey
			clientSecret dbPassword accessToken --api-key --token -password X-Api-Key Authorization
			Proxy-Authorization AUTHORIZATION JWT SERVICE_JWT PASSPHRASE SSH_KEY_PASSPHRASE OTP SIM_PIN
			SLACK_WEBHOOK SLACK_WEBHOOK_URL webhookUrl TIDE_SECRETKEY TIDE_ACCESSTOKEN SECRET_ACCESS_KEY
			SECRET_KEY_BASE API_TOKEN_2 API_KEY2 TELEGRAM_API_HASH PASSWORD_HASH DATABASE_URL APP_REDIS_URL
			MONGO_URI CONNECTION_STRING SENTRY_DSN SESSION_COOKIE GOOGLE_APPLICATION_CREDENTIALS
			PRIVATE_KEY SSH_PRIVATE_KEY CREDENTIALS_JSON TLS_KEY_PEM KEY_BASE64 AUTH PGPASSWORD DB.PASSWORD`,
		false: `MAX_TOKENS AWS_REGION KEY_ID AUTHOR AWS_ACCESS_KEY_ID PUBLIC_KEY PRIMARY_KEY FOREIGN_KEY
			SORT_KEY PARTITION_KEY publicKey PUBLIC_KEYS PAT_NAME VALKEY MONKEY TIDE_HOTKEY KEYBOARD --keyboard
			API_URL COMMIT_HASH REDIRECT_URI TOKEN_LIMIT TOKEN_FILE PASSWORD_FILE SECRET_NAME PINNED PINS
			AUTH_URL COMPASS BYPASS PIN_CODE_LENGTH WEBHOOK_PORT JWT_ISSUER QUERY_STRING URL DATABASE HASH
			VALUE BASE 2 _ -`,
	} {
		for name := range strings.FieldsSeq(names) {
			if got := IsSecretName(name); got != want {
				t.Errorf("IsSecretName(%q) = %t, want %t", name, got, want)
			}
		}
	}
	if IsSecretName("") {
		t.Error("the empty name is a secret")
	}
}
