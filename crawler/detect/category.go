package detect

import (
	"math"
	"path"
	"regexp"
	"sort"
	"strings"

	"mcpcensus/internal/registry"
)

// vocabulary gives each category the words that point to it and how much: 3
// hardly leaves another choice, 1 is a hint. A term of several words must
// stand together.
var vocabulary = map[string]map[int]string{
	"database": {
		3: `database databases sql nosql mysql postgres postgresql mongodb sqlite duckdb redis clickhouse mariadb oracle-db mssql supabase neo4j cassandra dynamodb couchbase snowflake bigquery cockroachdb elasticsearch opensearch pinecone qdrant milvus weaviate chroma chromadb lancedb influxdb timescaledb surrealdb arangodb tidb singlestore turso neon vector-database vector-db graph-database data-warehouse teradata databricks kusto trino presto starrocks doris motherduck prisma cypher jdbc odbc valkey memgraph rqlite hbase db2 firestore cosmos-db cosmosdb object-storage datalake data-lake data-catalog iceberg delta-lake dbt hive spark presto-sql sparql rdf triplestore data-platform database-queries database-schemas database-management iotdb tdengine greptimedb questdb fauna xata nile planetscale appwrite firebase pocketbase mongo pg marklogic sap-hana oracle-database ms-sql sql-server sqlserver dremio exasol vertica netezza couchdb rethinkdb aerospike scylladb hudi datahub openmetadata fivetran airbyte etl memcached libsql oceanbase greenplum pgvector redshift graphdb dataverse typesense meilisearch`,
		2: `schema schemas tables queries warehouse lakehouse vector-store key-value database-schema cache caching oracle`,
		1: `query records table collections rows graph schema-inspection`,
	},
	"communication": {
		3: `slack discord telegram whatsapp email emails gmail imap smtp sms twilio messaging chat-messages teams mattermost zulip outlook line-messaging imessage wechat twitter bluesky mastodon reddit facebook instagram linkedin tiktok social-media voip phone-calls nostr mailgun sendgrid resend mailchimp matrix-chat intercom lark feishu dingtalk kakaotalk webex rocket-chat x-twitter youtube-comments ntfy pushover newsletter aws-ses calls-and-sms tweets calls phone-call voice-calls outbound-calls call-center caldav-mail push-notification push-notifications social-network social-networks social-media-posts direct-messages vrchat youtube bilibili weibo xiaohongshu douyin farcaster threads twitch pinterest tumblr medium substack linkedin-posts podcast-publishing wecom whatsapp-messages agent-to-agent human-in-the-loop`,
		2: `messages message chat conversation mail mailbox inbox notification notifications channels tweet social sms-messages communication`,
		1: `send meeting meetings zoom signal contacts community posts post phone`,
	},
	"security": {
		3: `security vulnerability vulnerabilities cve malware pentest pentesting penetration-testing exploit threat threats siem burp nmap osint secrets-management vault virustotal shodan semgrep snyk sast sbom forensics reverse-engineering ghidra ida-pro cybersecurity authentication-provider auth0 okta keycloak identity-provider compliance crowdstrike firewall cryptography encryption password-manager 1password bitwarden phishing zero-trust osv trivy radare2 wiz soc2 threat-intelligence attack-surface pii-redaction guardrails prompt-injection audit-logs dast metasploit secure-code binary-analysis disassembler decompiler censys ctf secrets access-control token-allowances user-management-security memory-forensics threat-modeling security-scanning malicious scanning-vulnerabilities domain-security dns-security network-scanning port-scanning nmap-scanning web-application-security cyber hash-cracking cyberchef kali kali-linux wireshark packet-capture packet-analysis proof-of-work verifiable tamper-evident post-quantum iam sonatype sentinelone owasp hashcat yara jwt`,
		2: `secret audit secure identity authorization attack hacking scanner penetration vulnerabilty fraud scam`,
		1: `scan authentication oauth safety permission permissions scanning governance verification risk policies password policy credentials trust`,
	},
	"analytics": {
		3: `analytics observability monitoring metrics grafana prometheus datadog sentry dashboards telemetry traces logs apm new-relic newrelic dynatrace splunk honeycomb posthog mixpanel amplitude google-analytics visualization charts tableau power-bi looker metabase business-intelligence opentelemetry cloudwatch axiom logfire loki tempo log-analysis pandas statistics jupyter data-science clarity search-console seo ads-performance google-ads facebook-ads meta-ads a-b-testing feature-flags vizro echarts plotly forecasting time-series logz.io coralogix elastic-observability incident-response pagerduty cost-management cost-explorer billing-costs kpi kpis heatmaps root-cause uptime log-management crash-reports customer-data customer-insights keyword-research backlinks search-engine-optimization ad-campaigns ad-accounts marketing-automation network-observability profiling matomo umami powerbi superset jaeger pagespeed lighthouse matplotlib`,
		2: `monitor dashboard insights chart plots graphs incidents incident alerts alerting logging tracing performance-metrics campaigns marketing advertising ads spending usage-data reports reporting trends tracking visualisation cost costs data-analysis performance visualize diagram diagrams mermaid pricing`,
		1: `data-driven statistics attribution`,
	},
	"automation": {
		3: `automation automate browser-automation playwright puppeteer selenium browser headless-browser kubernetes k8s docker ansible terraform ci-cd cicd jenkins github-actions workflow-automation n8n workflows zapier home-assistant smart-home iot code-execution sandbox sandboxed-code argocd helm devops robotics ros mqtt rpa deployment deployments infrastructure-as-code infrastructure scheduler cron pulumi browserbase browser-use openshift podman containers android-emulator adb mobile-automation desktop-automation computer-use webdriver task-scheduling circleci buildkite temporal airflow 3d-printing 3d-printer plc modbus arduino esp32 crossplane home-automation kestra make.com ui-automation appium gui-automation e2b code-interpreter controls browser-control browser-tabs web-browser chrome-extension chrome-devtools web-automation web-interaction webpage-interaction gui simulator-control ios-simulator ios-simulators remote-servers remote-commands virtual-machines vm virtual-machine python-code execute-python javascript-code isolated-environments isolated-environment isolated-sandbox code-sandbox run-code wasm microcontroller sensor sensors serial-port bluetooth raspberry-pi home-appliances smart-devices industrial drone drones vehicles-control robot-control lights philips-hue rundeck spinnaker octopus-deploy harness bamboo teamcity azure-devops azure-pipelines gitops flux-cd istio rancher nomad consul puppet chef saltstack dagger nix vagrant cert-manager karmada container-runtime docker-compose kubectl`,
		2: `workflow pipeline pipelines cluster clusters container deploy automates automated automating orchestrate orchestration orchestrating robot devices device hardware embedded emulator simulator mouse keyboard provisioning execute-code remote-execution mobile-devices firefox execution chrome screenshots screenshot android iphone`,
		1: `trigger schedule run executing tests screen browsers scripting actions testing builds control cost`,
	},
	"data": {
		3: `web-search search-engine scraping scraper scrape crawl crawler crawling web-scraping knowledge-base knowledge-graph rag memory semantic-memory weather maps map geolocation geocoding geospatial gis news wikipedia arxiv pubmed papers research academic stock-market stock-prices market-data financial-data finance-data cryptocurrency-prices census open-data datasets dataset documentation docs-search search-results brave-search tavily exa perplexity duckduckgo google-search bing kagi searxng firecrawl data-extraction extraction extract-data stock stocks earthquake flights hotels travel airline transit train railway genomics biology chemistry medical clinical healthcare legislation legal patents sports football nba real-estate property transcripts youtube-transcripts rss feeds feed obsidian-vault long-term-memory persistent-memory context-retrieval semantic-search data-sources statistics-bureau government fitness nutrition bioinformatics science scientific astronomy citations bible quran library-documentation up-to-date-documentation location weather-forecast gene drug protein biomedical openstreetmap satellite aviation ships marine museum movies anime music-database books recipes economic economy sec-filings edgar world-bank fetch-web web-content web-pages web-page websites-content youtube-videos subtitles video-transcripts financial-markets prediction-markets prediction-market options-data fundamentals exchange-rates currency-rates tickers note-vault context-memory cognitive-search search-indexes pipeline-data dicom medical-images clinical-trials court law patent congress parliament statistics-canada eurostat world quotes dictionary vehicle tesla parking ev-charging zotero google-scholar semantic-scholar knowledge-management second-brain cumulative-memory persistent-context music-theory museum-collections art-collections poetry astrology horoscope zodiac bazi tarot genealogy religion coingecko sec-edgar yahoo-finance pubchem chembl nasa imdb tmdb kaggle wikidata wolfram trains airport airports tide tides youtube-transcript`,
		2: `search searching knowledge memories facts articles literature fetch webpage historical forecast locations places route routes navigation hotel flight booking trip itinerary prices price market markets investment investing trading portfolio recall embeddings rag-system context-aware indexing retrieve documents encyclopedia lookup jobs job-listings podcasts transcript library crypto-market sentiment university students education learning medicine patient health fhir crops agriculture climate energy`,
		1: `discover real-time realtime web website websites data information environment content pages url urls retrieval public`,
	},
	"productivity": {
		3: `notion obsidian todoist trello asana jira linear clickup monday.com calendar google-calendar google-docs google-sheets google-drive google-workspace spreadsheet spreadsheets excel word powerpoint presentation presentations slides notes note-taking note task-management project-management tasks todo to-do reminders crm confluence evernote onenote apple-notes apple-reminders miro figma office documents-editing pdf kanban timesheet time-tracking shopify e-commerce ecommerce zendesk helpdesk customer-support ticketing issue-tickets support-tickets jira-tickets hubspot salesforce-crm dropbox box onedrive sharepoint bookmarks logseq roam anki flashcards zotero microsoft-365 office-365 docx xlsx pptx pomodoro invoices invoice accounting quickbooks xero bear-notes joplin craft things3 omnifocus basecamp smartsheet productivity wiki mind-map mindmap canva design-files meeting-notes issue-tracking shopping inventory order-management vikunja plane redmine raindrop readwise linear-issues service-management servicenow airtable baserow nocodb docs contact-management email-marketing-crm zoom calendly cal.com freshdesk intercom-tickets fulfillment e-commerce-store woocommerce magento bigcommerce amazon-seller amazon-products restaurants food-ordering delivery-orders hledger ledger-accounting personal-finance budgeting ynab payroll applicant-tracking recruitment okr google-slides google-tasks google-forms typeform gsheets google-meet libreoffice markdown-notes epub latex documents-management document-management document-conversion pipedrive toggl paperless`,
		2: `calendars events scheduling appointments sprint team-collaboration collaboration editing issues customer customers products orders store sales leads contacts-management whiteboard design designs workspace organize planning planner resume hr recruiting expense expenses employees meetings meeting document documents reports-writing`,
		1: `teams ticket tickets create-documents forms surveys team task project projects`,
	},
	"integration": {
		3: `aggregator aggregates aggregate gateway unified-api integration-platform multiple-mcp-servers mcp-servers-management meta-mcp mcp-proxy mcp-gateway connect-to-any saas-integrations stripe paypal payments payment square plaid razorpay adyen mercado-pago mcp-hub gcp google-cloud cloudflare cloud-platform cloud-services cloud-resources cloud-infrastructure digitalocean heroku vercel netlify fly.io railway render hetzner linode alibaba-cloud tencent-cloud gitlab bitbucket gitea github-api salesforce sap dynamics workato composio pipedream paragon apache-kafka kafka rabbitmq pulsar nats message-queue event-streaming multi-server orchestrates-mcp registry-of-mcp serverless lambda s3 cloudformation openstack vmware proxmox nutanix oracle-cloud ibm-cloud multi-cloud erp odoo integrations multiple-services api-gateway`,
		2: `cloud servers-and-tools unified unifies router third-party apps-and-services repositories pull-requests merge-requests hosting domain domains dns cdn buckets marketplace multi-tool hub federation compose subscriptions checkout merchant bridge connector connectors aws azure github webhooks proxy`,
		1: `connects platforms`,
	},
	"api": {
		3: `openapi swagger graphql rest-api rest-apis postman api-testing api-specs api-documentation openai gemini anthropic-api image-generation video-generation text-to-speech speech-to-text tts stable-diffusion flux dall-e dalle elevenlabs replicate fal.ai hugging-face huggingface ollama llm-apis llm-providers comfyui midjourney blockchain ethereum solana bitcoin web3 defi nft smart-contract smart-contracts onchain on-chain wallet wallets evm token-swap cryptocurrency crypto trading-api dex exchange exchanges binance coinbase hyperliquid polymarket uniswap starknet algorand xrp cardano bnb aptos sui ton music-generation speech-synthesis voice-cloning deepseek mistral grok imagen transcription whisper generative-models llamacpp machine-learning-models ai-models grpc soap openai-compatible multi-model llm-gateway embeddings-api second-opinion text-to-image image-editing stablecoin usdc x402 lightning-network nwc rest-endpoint image-gen image-generator generate-image generate-video video-editing video-processing video-creation music-creation sound-effects voice-synthesis voice-generation midi multimodal vision-models image-analysis image-recognition gpt-image gpt-4 openrouter perplexity-api vertex-ai bedrock azure-openai litellm groq together-ai cohere minimax kling runway veo sora nano-banana nova-canvas ideogram recraft leonardo suno udio krea bfl avalanche base-network erc20 erc-20 wallet-management block-explorer etherscan token-prices memecoin meme-coin trading-bot staking dao ens ipfs near aptos-network tezos hedera polkadot ripple tron chainlink thirdweb alchemy jupiter raydium pump.fun rugcheck odata api-endpoints api-wrapper wsdl http-requests`,
		2: `image images video videos speech voice generation generate-images chain chains swap contract contracts ai-image inference prompts gpt music avatar tokenized crypto-native ledger yield vision liquidity cosmos`,
		1: `generates generate ai-powered api apis endpoint endpoints model models rest token tokens audio transactions`,
	},
	"tools": {
		3: `filesystem file-system files file-operations command-line shell terminal ssh code-editor ide linter debugger git version-control language-server lsp refactoring xcode unity unreal blender godot game minecraft calculator sequential-thinking prompt-management code-review static-analysis developer-tools dev-tools software-development scaffolding codebase coding-agent coding-agents programming compiler jetbrains vscode vim neovim emacs regex json-tools unit-conversion hash uuid dice random-number ffmpeg cad game-engine reasoning thinking chess figma-to-code ui-components storybook code-generation test-generation repl maven gradle npm-packages package-manager cocoapods localization i18n windows-api macos-system clipboard applescript powershell code-search codebase-indexing repository-analysis agent-skills skills pokemon gaming games starter-template mcp-inspector debugging-tools ast tree-sitter monorepo eslint typescript-compiler rust-analyzer roblox steam freecad kicad sketchup revit autocad solidworks openscad pcb rhino token-usage context-window timezone time-zone clock current-time git-operations makefile cmake dockerfile code-snippets gists cms test-automation unit-tests xcodebuild static-code-analysis code-analysis code-quality swagger-generator jmeter load-testing performance-testing validation architecture-diagrams code-documentation api-route software-projects development-workflows development-workflow claude-code software-engineering pull-request-review translation color colors figlet ascii-art dev-environment development-environment language-servers tooling imagemagick pandoc qr-code`,
		2: `file directories directory commands command code coding developer developers development source-code utility utilities editor format formatting convert conversion snippets templates math mathematical generate-code debugging packages dependency dependencies components component frontend react-native flutter react vue angular svelte prototype diff patch personas game-development agents-collaborate prompts prompt build image-processing ocr rules specification spec-driven agent agentic multi-agent task-orchestration subagents cursor-rules time date tests web-development text-editing text-processing browserless macos windows linux programming-language`,
		1: `local helper experimental example fun simple demo boilerplate`,
	},
}

type term struct {
	words    []string
	category int
	weight   float64
}

// terms index the vocabulary by first word.
var terms = func() map[string][]term {
	out := map[string][]term{}
	for i, c := range registry.Categories {
		for w, list := range vocabulary[c] {
			for _, t := range strings.Fields(list) {
				words := strings.FieldsFunc(t, func(r rune) bool { return r == '-' || r == '.' })
				for j := range words {
					words[j] = stem(words[j])
				}
				weight := []float64{0, 0.6, telling, 4}[w]
				if len(words) > 1 {
					weight *= 1.6
				}
				out[words[0]] = append(out[words[0]], term{words, i, weight})
			}
		}
	}
	for k := range out {
		sort.Slice(out[k], func(i, j int) bool {
			a, b := out[k][i], out[k][j]
			if len(a.words) != len(b.words) {
				return len(a.words) > len(b.words)
			}
			if a.category != b.category {
				return a.category < b.category
			}
			if x, y := strings.Join(a.words, " "), strings.Join(b.words, " "); x != y {
				return x < y
			}
			return a.weight > b.weight // the later one counts less
		})
	}
	return out
}()

// stem strips a plural's ending.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

var (
	wordRE = regexp.MustCompile(`[\p{L}\p{N}]+`)
	// boilerplate says what every server does and for whom.
	boilerplate = regexp.MustCompile(`(?i)\b(?:a |an |the )?(?:official |simple |powerful |lightweight |comprehensive )*(?:model context protocol|mcp)(?: \(mcp\))?(?:[- ](?:servers?|protocol|tools?|implementation|integration))?\b|\b(?:ai|llm|claude|chatgpt|cursor|copilot)[- ](?:assistants?|agents?|models?|clients?|desktop|code|powered|applications?|apps|tools|ides?)\b|\blarge language models?\b|\bllms?\b|\bclaude\b|\bnatural language\b|\bai\b|\btypescript\b|\bpython\b|\bnode\.?js\b`)
)

type vote struct {
	score [16]float64
	words [16]map[string]float64
}

// count adds the terms of a text. Later mentions of a term count less.
func (v *vote) count(text string, factor float64, seen map[string]int) {
	text = boilerplate.ReplaceAllString(cut(text, 4000), " ")
	words := wordRE.FindAllString(strings.ToLower(text), 600)
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stem(w)
	}
	for i := 0; i < len(stems); i++ {
		longest := 1
		for _, t := range terms[stems[i]] {
			if len(t.words) < longest || i+len(t.words) > len(stems) {
				continue
			}
			match := true
			for j, w := range t.words {
				if stems[i+j] != w {
					match = false
					break
				}
			}
			if !match {
				continue
			}
			longest = len(t.words)
			name := strings.Join(words[i:i+len(t.words)], " ")
			key := registry.Categories[t.category] + ":" + strings.Join(t.words, " ")
			seen[key]++
			w := t.weight * factor / math.Pow(2.5, float64(seen[key]-1))
			if i < 12 {
				w *= 1.6 // what a description begins with is what it is about
			}
			v.score[t.category] += w
			if v.words[t.category] == nil {
				v.words[t.category] = map[string]float64{}
			}
			v.words[t.category][name] += w
		}
		i += longest - 1
	}
}

// A Text is what a server is classified by, the most telling first.
type Text struct {
	Description string   // of the server
	Name        string   // without namespace and owner
	Tags        []string // topics, keywords
	Headings    []string
	Tools       []string // names
	Readme      string
}

// Classify returns one of registry.Categories, how sure that is from 0 to 1,
// and the words that decided it. Where nothing points anywhere it is
// registry.CategoryTools at 0.1.
func Classify(t Text) (category string, confidence float64, words []string) {
	var v vote
	seen := map[string]int{}
	v.count(t.Description, 1, seen)
	v.count(splitName(t.Name), 0.8, seen)
	v.count(strings.Join(t.Tags, " . "), 0.5, seen)
	strong := 0.0
	for _, s := range v.score {
		strong = max(strong, s)
	}
	if strong < 4 {
		v.count(strings.Join(t.Tools, " . "), 0.2, seen)
		v.count(strings.Join(t.Headings, " . "), 0.2, seen)
		v.count(cut(t.Readme, 1200), 0.3, seen)
	}
	best, total := -1, 0.0
	for i := range registry.Categories {
		total += v.score[i]
		if v.score[i] > 0 && (best < 0 || v.score[i] > v.score[best]+1e-9) {
			best = i
		}
	}
	if best < 0 || v.score[best] < 0.3 {
		return registry.CategoryTools, 0.1, nil
	}
	for w := range v.words[best] {
		words = append(words, w)
	}
	sort.Slice(words, func(i, j int) bool {
		a, b := v.words[best][words[i]], v.words[best][words[j]]
		if math.Abs(a-b) > 1e-9 {
			return a > b
		}
		return words[i] < words[j]
	})
	words = words[:min(len(words), 5)]
	share := v.score[best] / total
	confidence = share * (1 - math.Exp(-v.score[best]/3))
	return registry.Categories[best], math.Round(min(0.99, max(0.1, confidence))*100) / 100, words
}

func splitName(s string) string {
	return camel.ReplaceAllString(strings.NewReplacer("-", " ", "_", " ", ".", " ").Replace(s), "$1 $2")
}

func (c *context) classify(d *registry.Detection) {
	t := Text{Description: d.Description, Tags: d.Tags}
	t.Name = c.repo.snap.Repo.Name
	if c.unit.dir != "" && !c.alone {
		t.Name = path.Base(c.unit.dir)
	}
	t.Name += " " + d.Title
	for _, tool := range d.Tools[:min(len(d.Tools), 30)] {
		t.Tools = append(t.Tools, tool.Name)
	}
	if c.readme != nil && c.own {
		for _, h := range c.readme.Headings[:min(len(c.readme.Headings), 30)] {
			t.Headings = append(t.Headings, h.Text)
		}
		t.Readme = c.readme.Summary
	}
	if c.repo.snap.Repo.Description != "" && c.alone && c.repo.snap.Repo.Description != d.Description {
		t.Description += ". " + c.repo.snap.Repo.Description
	}
	d.Category, d.CategoryConfidence, d.CategoryWords = Classify(t)
}
