package readme

import (
	"strings"
	"testing"
)

// deprecations are READMEs labelled "d" for declared, "s" for soft and "" for neither. Half of
// them contain the words in another meaning.
var deprecations = []struct{ label, text string }{
	{"d", "# X\n\nThis repository is deprecated.\n"},
	{"d", "# X\n\n> [!CAUTION]\n> This project is no longer maintained. Use [Y](https://y.dev) instead.\n"},
	{"d", "# X (deprecated)\n\nText.\n"},
	{"d", "# ⚠️ DEPRECATED\n\nSee elsewhere.\n"},
	{"d", "# X\n\n**This server has been superseded by [Y](https://y.dev).**\n"},
	{"d", "# X\n\nThis repository has been archived and is read-only.\n"},
	{"d", "# X\n\nThis MCP server is now deprecated in favor of the remote one.\n"},
	{"d", "# X\n\n" + strings.Repeat("Long text about many things. ", 100) + "\n\n## Note\n\nThis project is no longer actively maintained.\n"},
	{"d", "# X\n\n> [!WARNING]\n> Deprecated: use the official server.\n"},
	{"d", "# X\n\nThis project has moved to https://github.com/z/y.\n"},
	{"d", "# X\n\nThe server has been moved into the main CLI.\n"},
	{"d", "# X\n\n> This repository is unmaintained.\n"},
	{"d", "# X\n\nWe no longer maintain this project.\n"},
	{"d", "# X\n\nThis package has been discontinued.\n"},
	{"d", "# X\n\nDevelopment of this project has ceased.\n"},
	{"d", "# X\n\nThis is the final release of this server.\n"},
	{"d", "# X\n\nThis server will only receive critical security updates.\n"},
	{"d", "# X\n\n## Repository moved\n\nGo to [the new one](https://y.dev).\n"},
	{"d", "# X\n\n> [!WARNING]\n> This server is not maintained anymore.\n"},
	{"d", "# X\n\nThis project is obsolete.\n"},
	{"d", "# X\n\nThis project has been replaced by Y.\n"},
	{"d", "# X\n\nThe project is end-of-life.\n"},
	{"d", "# X\n\nThis integration is no longer supported.\n"},
	{"d", "# X\n\nThis repository was archived in May.\n"},
	{"d", "# X\n\n# No longer maintained\n\nSorry.\n"},
	{"d", "# X\n\nThe repository is deprecated and will be removed.\n"},
	{"d", "# X\n\nX MCP has been replaced by [Y](https://y.dev).\n"},
	{"s", "# X\n\nWe may sunset this server later.\n"},
	{"s", "# X\n\nIssues are not actively monitored here.\n"},
	{"s", "# X\n\nWe recommend using the hosted service instead.\n"},
	{"s", "# X\n\nThis may be deprecated in the future.\n"},
	{"s", "# X\n\nWe are looking for maintainers.\n"},
	{"s", "# X\n\nPlease use the hosted server instead of this one. Please use Y instead.\n"},
	{"", "# X\n\nThe SSE transport has been replaced by streamable HTTP.\n"},
	{"", "# X\n\nThe `--a` option has been replaced by `--b`.\n"},
	{"", "# X\n\n" + strings.Repeat("Long text about many things. ", 100) + "\n\n" +
		"The old logo has been replaced by a new one.\n"},
	{"", "# X\n\nFilter by archived repositories.\n"},
	{"", "# X\n\n| Tool | Does |\n|---|---|\n| `get` | Says whether the project is archived |\n"},
	{"", "# X\n\n### Archived\n\n- [A](https://a.dev)\n- [B](https://b.dev)\n"},
	{"", "# Servers\n\n## Archived\n\nThe following are archived.\n\n- [A](https://a.dev) is old\n- [B](https://b.dev) too\n"},
	{"", "# X\n\nThe SSE transport is deprecated, use HTTP.\n"},
	{"", "# X\n\n> [!WARNING]\n> The `--foo` option is deprecated.\n"},
	{"", "# X\n\n```\nThis repository is deprecated.\n```\n"},
	{"", "# X\n\nDeprecated tools are hidden by default.\n"},
	{"", "# X\n\n- `include_archived`: whether to include archived projects\n"},
	{"", "# X\n\nThe old API is no longer supported upstream.\n"},
	{"", "# X\n\n> [!NOTE]\n> Node 18 support is deprecated and will be removed.\n"},
	{"", "# X\n\nFinds unmaintained dependencies and deprecated packages.\n"},
	{"", "# X\n\nThis server is built with TypeScript.\n"},
	{"", "# X\n\nThis project is actively maintained.\n"},
	{"", "# X\n\nThe server is integrated with Slack.\n"},
	{"", "# X\n\nIf this repository is archived, the tool returns an error.\n"},
	{"", "# X\n\nMoves archived cards. `moved to` is a status.\n"},
	{"", "# X\n\nReturns deprecated fields as null.\n"},
	{"", "# X\n\n## Changelog\n\n- Deprecated `old_tool`\n- Removed support of X\n"},
	{"", "# X\n\nGet a list of retired employees.\n"},
	{"", "# X\n\nTracks sunset and sunrise times.\n"},
	{"", "# X\n\nThe `v1` endpoint is deprecated since March.\n"},
	{"", "# X\n\nEnvironment variables: the `OLD_KEY` variable is deprecated.\n"},
	{"", "# X\n\nDetects end-of-life software.\n"},
	{"", "# X\n\nThe archived flag is set.\n"},
	{"", "# X\n\n> [!IMPORTANT]\n> Do not use deprecated models.\n"},
	{"", "# X\n\nWe do not give guarantees about compatibility and deprecation.\n"},
	{"", "# X\n\nMaintenance mode can be turned on with `maintenance_on`.\n"},
	{"", "# Sunset Times\n\nWhen does the sun set?\n"},
	{"", "# X\n\nChecks if your package is deprecated.\n"},
	{"", "# X\n\n## Migration\n\nSettings of version 1 are no longer read.\n"},
	{"", "# X\n\n| Server | |\n|---|---|\n| Old ⚠️ **DEPRECATED** | x |\n"},
}

func TestDeprecation(t *testing.T) {
	labels := map[string]string{"": "", "d": DeprecationDeclared, "s": DeprecationSoft}
	var found, wrong, missed int
	for _, c := range deprecations {
		got, want := parse(t, c.text), labels[c.label]
		switch {
		case got.Deprecation != want && want == "":
			wrong++
			t.Logf("%q: got %q (%s)", c.text, got.Deprecation, got.DeprecationText)
		case got.Deprecation != want:
			missed++
			t.Logf("%q: got %q, want %q", c.text, got.Deprecation, want)
		case want != "":
			found++
		}
	}
	precision, recall := float64(found)/float64(found+wrong), float64(found)/float64(found+missed)
	t.Logf("%d READMEs, precision %.2f, recall %.2f", len(deprecations), precision, recall)
	if precision < 0.95 || recall < 0.85 {
		t.Error("precision must be at least 0.95, and recall 0.85")
	}
}

func TestSuccessor(t *testing.T) {
	const declared = "This project is deprecated."
	for name, text := range map[string]string{
		"same paragraph": "# X\n\n> [!CAUTION]\n> **" + declared + "**\n" +
			"> Please use [the new server](https://y.dev/new) instead.\n\n" +
			"[docs](https://docs.dev)\n",
		"next paragraph": "# X\n\n" + declared + "\n\nSee [the new server](https://y.dev/new).\n",
		"title above": "# X\n\n" +
			"## X has moved from a small repository into [a big one](https://y.dev/new)\n\n" +
			declared + "\n\n[docs](https://docs.dev)\n",
		"below a heading": "# X\n\n## Repository moved\n\n" + declared + "\n\n[Here](https://y.dev/new)\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, text)
			equal(t, [2]string{declared, "https://y.dev/new"}, [2]string{d.DeprecationText, d.Successor})
		})
	}
}

// TestNoticeText checks that the quoted sentence is the one that declares the end.
func TestNoticeText(t *testing.T) {
	for text, want := range map[string]string{
		"# [DEPRECATED] Harbour\n\nLists ships in a harbour.":                           "[DEPRECATED] Harbour",
		"# ⚠️ Harbour (archived)\n\nLists ships. This server is retired.":               "This server is retired.",
		"# Harbour\n\n## Deprecated\n\nLists ships in a harbour.":                       "Deprecated",
		"# Harbour\n\n## Deprecated\n\nIt works.\n\n## Next\n\nThis server is retired.": "Deprecated",
	} {
		equal(t, want, parse(t, text).DeprecationText)
	}
}

// TestTitleStates checks that a word in a title is the state of the project, not its subject.
func TestTitleStates(t *testing.T) {
	for title, want := range map[string]bool{
		"# Sea Charts (no longer maintained)":                 true,
		"# [ARCHIVED] Sea Charts":                             true,
		"# Sea Charts [moved to the shore monorepo]":          true,
		"# Deprecated: Sea Charts MCP":                        true,
		"# DEPRECATED Sea Charts MCP":                         true,
		"# Sea Charts - DEPRECATED":                           true,
		"# ~~Sea Charts MCP~~":                                true,
		"# <del>Sea Charts</del>":                             true,
		"<h1><s>Sea Charts</s></h1>":                          true,
		"# ~~Old~~ Sea Charts":                                false,
		"# 海图（已弃用）":                                           true,
		"# 【停止维护】海图":                                          true,
		"# 海図 MCP（非推奨）":                                       true,
		"# Cartas (obsoleto)":                                 true,
		"# Seekarten (nicht mehr gepflegt)":                   true,
		"# Карты (проект заброшен)":                           true,
		"# Deprecated Package Finder":                         false,
		"# Archived Pages MCP Server":                         false,
		"# Retired Employees: an HR server":                   false,
		"# End-of-Support Dates":                              false,
		"# Obsolete API Checker (Beta)":                       false,
		"# End of Life":                                       false,
		"# End of Life MCP\n\n## End of life\n\nOf software.": false,
		"# Sunset":                      false,
		"# Sunset API MCP":              false,
		"# Legacy Systems MCP":          false,
		"# Deprecated Packages Checker": false,
		"# Obsolete Parts - MCP Server": false,
		"# Sunset: times of the sun\n\n```\nnpx -y sunset-mcp\n```":                          false,
		"# Sunset: times of the sun\n\n```\nnpx -y sea-charts\n```":                          false,
		"# Sunset: Sea Charts\n\n```\nnpx -y sea-charts\n```":                                true,
		"# Sunset: Sea Charts\n\n```\nnpx -y dusk-mcp\n```":                                  false,
		"# Retired: a server for pensions":                                                   false,
		"# Obsolete - Finder of Old Parts":                                                   false,
		"# No longer maintained: a server for charts":                                        true,
		"# Charts\n\n## Deprecated\n\nThe tool `old` goes away in March.":                    false,
		"# Deprecated: use Shore instead":                                                    true,
		"# Deprecated – sea-charts":                                                          true,
		"# UNMAINTAINED: charts of the sea":                                                  true,
		"# ~~Charts~~ Archived":                                                              true,
		"# Charts\n\n## Deprecation notice\n\nThe SSE transport is deprecated. Use HTTP.":    false,
		"# Charts\n\n## ⚠️ Deprecation notice\n\nSSE will be removed in March.":              false,
		"# Charts\n\n## Deprecated\n\nSupport for Node 16 was dropped.":                      false,
		"# Charts\n\n## Deprecated\n\nAcme has released [Shore](https://shore.dev). Use it.": true,
		"# Charts\n\n## Deprecated\n\nIt will be removed in May.":                            true,
		"# Charts\n\n## Deprecated\n\nThis server will be removed in May.":                   true,
		"# EOL – End-of-life\n\n```\nuvx end-of-life-mcp\n```":                               false,
		"# DEPRECATED":       true,
		"# Sunset Times MCP": false,
		"# Charts\n\n## Deprecated\n\n- `old_tool`\n- `older`": false,
		"# Charts\n\n## Deprecation notice\n\nUse the other.":  true,
		"# Charts\n\n## Deprecation policy\n\nWe warn early.":  false,
	} {
		if got := parse(t, title+"\n\nText about the sea.\n").Deprecation; (got != "") != want {
			t.Errorf("%s: got %q, want declared %v", title, got, want)
		}
	}
}

// TestNoticeSubjects checks that the subject of a notice is the project itself.
func TestNoticeSubjects(t *testing.T) {
	for notice, want := range map[string]bool{
		"The former package `charts-legacy` is deprecated; use `sea-charts`.":       false,
		"`sea-charts` is deprecated in favour of `shore`.":                          true,
		"Sea Charts has been superseded by [Shore](https://shore.dev).":             true,
		"Sea Charts v1 is no longer supported.":                                     false,
		"Version 1 of the API is deprecated.":                                       false,
		"The upstream service has been retired.":                                    false,
		"Node.js 18 is no longer supported.":                                        false,
		"Archived boards are not listed.":                                           false,
		"Deprecated in favour of the hosted server.":                                true,
		"No longer maintained. Please fork it.":                                     true,
		"Status: abandoned":                                                         true,
		"This server is read-only.":                                                 false,
		"The server is archived weekly to a bucket.":                                false,
		"This project is archived to a bucket by a job.":                            false,
		"Sea Charts is archived nightly.":                                           false,
		"The server is no longer supported on Node 16.":                             false,
		"This server is no longer supported by Claude 1.":                           false,
		"The server is deprecated for users of Windows.":                            false,
		"We no longer support this server on Windows.":                              false,
		"Development has stopped on the v1 branch.":                                 false,
		"Deprecated: the SSE transport will be removed.":                            false,
		"The server is deprecated (use shore).":                                     true,
		"The server is archived since we use Shore.":                                true,
		"This repository was archived by the owner on Mar 3, 2026.":                 true,
		"This package is deprecated as of version 2.":                               true,
		"This server is no longer maintained by its author.":                        true,
		"This server is no longer supported after 31 December 2026.":                true,
		"The server is deprecated and will be removed.":                             true,
		"This project is deprecated for security reasons.":                          true,
		"This project is retired as Acme offers a server.":                          true,
		"This server is archived as a file of text.":                                false,
		"This project is no longer maintained or supported.":                        true,
		"This server will be retired next month.":                                   true,
		"Superseded by Shore.":                                                      true,
		"Questo progetto non è più mantenuto.":                                      true,
		"Questo server trova pacchetti abbandonati.":                                false,
		"Dit project wordt niet meer onderhouden.":                                  true,
		"Dit project vindt verouderde pakketten.":                                   false,
		"Ten projekt nie jest już rozwijany.":                                       true,
		"Ten serwer czyta zarchiwizowane strony.":                                   false,
		"To repozytorium zostało zarchiwizowane.":                                   true,
		"Dit project is gearchiveerd.":                                              true,
		"Dit project toont verouderd materiaal.":                                    false,
		"Questo progetto è stato archiviato.":                                       true,
		"Bu proje artık sürdürülmüyor.":                                             true,
		"Bu sunucu artık SSE desteklemiyor.":                                        false,
		"This repository is read-only now.":                                         true,
		"This project has migrated to TypeScript 5.":                                false,
		"This project has moved to [octo/shore](https://github.com/octo/shore).":    true,
		"Moved to https://github.com/octo/shore":                                    true,
		"Development continues at [octo/shore](https://github.com/octo/shore).":     true,
		"Development of Sea Charts now happens in https://codeberg.org/octo/shore.": true,
		"Development continues in the `next` branch.":                               false,
		"All development has stopped.":                                              true,
		"Support for SSE has ended.":                                                false,
		"I no longer have time to maintain this.":                                   true,
		"Consider this repository abandoned.":                                       true,
		"It tells you when this package is deprecated.":                             false,
		"We have moved to a new logo.":                                              false,
		"This repository is kept here for archival purposes only.":                  true,
		"This repo remains online for historical reference.":                        true,
		"This server is for historical records of tides.":                           false,
		"Old tables remain for historical reference.":                               false,
		"本项目已停止维护，请使用官方版本。":                                                         true,
		"本仓库已迁移至 https://github.com/octo/shore":                                     true,
		"本服务器可以查找已弃用的接口。":                                                           false,
		"このプロジェクトはメンテナンスされていません。":                                                   true,
		"このリポジトリは octo/shore に移行しました。":                                              true,
		"このサーバーは非推奨の API を検出します。":                                                   false,
		"이 프로젝트는 더 이상 유지보수되지 않습니다.":                                                 true,
		"이 서버는 보관된 문서를 찾습니다.":                                                       false,
		"Este proyecto ya no se mantiene.":                                          true,
		"Este servidor encuentra paquetes obsoletos.":                               false,
		"Este servidor está obsoleto.":                                              true,
		"Este servidor fue reemplazado por octo/shore.":                             true,
		"Este servidor ya no soporta SSE.":                                          false,
		"本项目目前已归档。":                                                                 true,
		"本服务器用于查找归档文件。":                                                             false,
		"이 저장소는 octo/shore로 이전되었습니다.":                                               true,
		"이 서버는 SSE를 지원하지 않는 클라이언트를 위한 것입니다.":                                        false,
		"このサーバーはアーカイブされたページを探します。":                                                  false,
		"このリポジトリはアーカイブされました。":                                                       true,
		"Este servidor já não é mais suportado.":                                    true,
		"Diese Erweiterung wurde nach octo/shore verschoben.":                       true,
		"Ce serveur archive des pages.":                                             false,
		"Этот сервер находит закрытые задачи.":                                      false,
		"Este repositório foi arquivado.":                                           true,
		"Este projeto não é mais mantido.":                                          true,
		"Ce projet n’est plus maintenu.":                                            true,
		"Ce dépôt a été archivé en mai.":                                            true,
		"Dieses Projekt wird nicht mehr gepflegt.":                                  true,
		"Dieser Server findet veraltete Pakete.":                                    false,
		"Этот проект больше не поддерживается.":                                     true,
		"Этот репозиторий перенесён в octo/shore.":                                  true,
		"Этот сервер ищет устаревшие пакеты.":                                       false,
	} {
		for _, text := range []string{
			"# Sea Charts MCP Server\n\n> [!WARNING]\n> " + notice + "\n\nCharts of the sea.\n",
			"# Sea Charts MCP Server\n\n⚠️ **" + notice + "**\n\nCharts of the sea.\n",
		} {
			if got := parse(t, text).Deprecation == DeprecationDeclared; got != want {
				t.Errorf("%s: got declared %v, want %v", text, got, want)
			}
		}
	}
	renamed := "# Shore\n\n> [!WARNING]\n> `shore` is deprecated, install `shore-mcp`.\n\n" +
		"```\nnpx -y shore-mcp\n```\n"
	equal(t, "", parse(t, renamed).Deprecation)
}

// TestStates checks that the state is the project's and is where the README says what it is.
func TestStates(t *testing.T) {
	for text, want := range map[string]bool{
		"# Mail\n\nThe features of this plugin have been rolled into https://github.com/acme/shore\n": true,
		"# Charts\n\nThe repository is archived, compressed and sent to a bucket.\n":                  false,
		"# Charts\n\nThis project is archived and compressed by a job.\n":                             false,
		"# Charts\n\nThis repository is archived, encrypted and uploaded every night.\n":              false,
		"# Charts\n\nThis project is archived, read-only and no longer maintained.\n":                 true,
		"# Charts\n\nThis project is deprecated, archived and replaced by Shore.\n":                   true,
		"# Charts\n\n## Deprecation notice\n\nNode 16 reaches end of life in March.\n":                false,
		"# Charts\n\n## Deprecation notice\n\nClaude drops SSE in June. Use HTTP.\n":                  false,
		"# Charts\n\n## Deprecation notice\n\nAcme is sunsetting its v1 API. Switch to v2.\n":         false,
		"# Charts\n\n## ⚠️ DEPRECATION NOTICE\n\nVersion 1 reached its end. Upgrade to version 2.\n":  false,
		"# Charts\n\n## Deprecation notice\n\nAs of May, this server gets no updates.\n":              true,
		"# Charts\n\n## Deprecation notice\n\nWe stopped working on Charts. Use Shore.\n":             true,
		"# Charts\n\n## Deprecation notice\n\nCharts reached its end of life. Use Shore.\n":           true,
		"# Charts\n\n> [!WARNING]\n> Deprecation notice: Node 16 reaches end of life in March.\n":     false,
		"# Charts\n\n> This project is no longer maintained by Acme.\n":                               true,
		"# Charts\n\nThis server is no longer actively maintained by the Acme team.\n":                true,
		"# Charts\n\nNo longer maintained by Acme.\n":                                                 true,
		"# Charts\n\nThis server is no longer supported by Claude 1.\n":                               false,
		"# Charts\n\nUnmaintained.\n":                                                                                                                       true,
		"# Charts\n\n**Unmaintained**: use Shore.\n":                                                                                                        true,
		"# Charts (unmaintained)\n\nText.\n":                                                                                                                true,
		"# Charts\n\nThis is an unmaintained project.\n":                                                                                                    true,
		"# Charts\n\n> ⚠️ This project is currently unmaintained\n":                                                                                         true,
		"# Charts\n\nThis repo is unmaintained and will not receive updates.\n":                                                                             true,
		"# Charts\n\nThis repository has moved to [octo/shore](https://github.com/octo/shore).\n":                                                           true,
		"# Charts\n\n**This repository has moved to https://github.com/octo/shore**\n":                                                                      true,
		"# Charts\n\n> **Note**: This repo has moved to [octo/shore](https://github.com/octo/shore)\n":                                                      true,
		"# Charts\n\n## This repository has moved to octo/shore\n\nText.\n":                                                                                 true,
		"# This repository has moved\n\nGo to https://github.com/octo/shore.\n":                                                                             true,
		"# Charts\n\nThis repository has moved to `octo/shore`.\n":                                                                                          true,
		"# Charts\n\nThis repository has moved to octo/shore.\n":                                                                                            true,
		"# Charts\n\nThis project has been moved to a new home: [shore](https://github.com/octo/shore)\n":                                                   true,
		"# Charts\n\nThe code has moved to [octo/shore](https://github.com/octo/shore).\n":                                                                  true,
		"# Charts\n\n[![Project Status: Unsupported](https://www.repostatus.org/badges/latest/unsupported.svg)](https://www.repostatus.org/#unsupported)\n": true,
		"# Charts\n\n[![status](https://img.shields.io/badge/maintenance-deprecated-red.svg?style=flat)](#)\n":                                              true,
		"# Charts\n\n![](https://img.shields.io/badge/No%20Maintenance%20Intended-x-red.svg)\n":                                                             true,
		"# Charts\n\n[![No Maintenance Intended](http://unmaintained.tech/badge.svg)](http://unmaintained.tech/)\n":                                         true,
		"# Charts\n\n![](https://img.shields.io/static/v1?label=status&message=archived&color=red)\n":                                                       true,
		"# Charts\n\n![](https://img.shields.io/badge/lifecycle-retired-orange)\n":                                                                          true,
		"# Charts\n\n![Maintenance](https://img.shields.io/maintenance/no/2022)\n":                                                                          true,
		"# Charts\n\n![Maintenance](https://img.shields.io/maintenance/yes/2026)\n":                                                                         false,
		"# Charts\n\n<p align=\"center\"><img src=\"https://img.shields.io/badge/status-archived-lightgrey\" alt=\"\"></p>\n":                               true,
		"# Charts\n\nEste servidor está obsoleto para Node 16.\n":                                                                                           false,
		"# Charts\n\nEste projeto é arquivado semanalmente num bucket.\n":                                                                                   false,
		"# Charts\n\nDieses Projekt wird archiviert und komprimiert.\n":                                                                                     false,
		"# Charts\n\nCe paquet est retiré du cache chaque nuit.\n":                                                                                          false,
		"# Charts\n\nQuesto progetto è archiviato ogni notte su S3.\n":                                                                                      false,
		"# Charts\n\nЭтот сервер закрыт паролем.\n":                                                                                                         false,
		"# Charts\n\nEste servidor ya no se actualiza solo.\n":                                                                                              false,
		"# Charts\n\nDieser Server wird nicht mehr unterstützt auf Node 16.\n":                                                                              false,
		"# Charts\n\nDieses Repository ist veraltet und wird nicht mehr gepflegt.\n":                                                                        true,
		"# Charts\n\nEste repositorio está archivado y ya no recibe actualizaciones.\n":                                                                     true,
		"# Charts\n\nCe projet est abandonné au profit de Shore.\n":                                                                                         true,
		"# Charts\n\nEste proyecto ha sido archivado por su autor.\n":                                                                                       true,
		"# Charts\n\nDieses Projekt wird seit 2025 nicht mehr gepflegt.\n":                                                                                  true,
		"# Charts\n\n⚠️ Questo progetto non è più supportato. Usare Shore.\n":                                                                               true,
		"# Charts\n\n> ⚠️ **Проект больше не поддерживается**\n":                                                                                            true,
		"# Charts\n\n> **注意**：本项目已归档，不再维护。\n":                                                                                                               true,
		"# Charts\n\n> 该项目已停止维护\n":                                                                                                                          true,
		"# Charts\n\n> 此项目不再维护\n":                                                                                                                           true,
		"# Charts\n\n> 项目已迁移到 https://github.com/octo/shore\n":                                                                                              true,
		"# Charts\n\n> このプロジェクトはメンテナンスを終了しました。\n":                                                                                                           true,
		"# Charts\n\n> 本リポジトリは開発を終了しました。\n":                                                                                                                 true,
		"# Charts\n\n> 이 프로젝트는 더 이상 관리되지 않습니다.\n":                                                                                                           true,
		"# Charts\n\n> Projeto descontinuado.\n":                                                                                                            true,
		"# Charts\n\n> Proyecto archivado.\n":                                                                                                               true,
		"# Charts\n\n> Le projet n'est plus maintenu.\n":                                                                                                    true,
		"# Charts\n\n> Das Projekt wird nicht mehr weiterentwickelt.\n":                                                                                     true,
		"# Charts\n\n> Проект заброшен.\n":                                                                                                                  true,
		"# Charts\n\n> Este repositório foi movido para [octo/shore](https://github.com/octo/shore).\n":                                                     true,
		"# Charts\n\n> Dieses Repository ist umgezogen nach octo/shore.\n":                                                                                  true,
		"# Charts\n\n> This project is abandoned.\n":                                                                                                        true,
		"# Charts\n\n> I am no longer maintaining this project.\n":                                                                                          true,
		"# Charts\n\n> I no longer maintain this.\n":                                                                                                        true,
		"# Charts\n\n> Not maintained any more.\n":                                                                                                          true,
		"# Charts\n\n*This project has been archived.*\n":                                                                                                   true,
		"# Charts\n\n:warning: **Deprecated** :warning:\n":                                                                                                  true,
		"# :warning: DEPRECATED :warning: Charts\n\nText\n":                                                                                                 true,
		"# Charts\n\n:no_entry: [DEPRECATED] Use Shore\n":                                                                                                   true,
		"# Charts\n\n[DEPRECATED] This repo moved.\n":                                                                                                       true,
		"# Charts\n\nThe server is retired and replaced when a new image arrives.\n":                                                                        false,
		"# Charts\n\nThis server is archived every night.\n":                                                                                                false,
		"# Mail Archive MCP\n\n## Archived\n\nMails are archived, compressed and sent.\n":                                                                   false,
		"# Mail\n\n**Archived, compressed and sent**: what happens to your mail.\n":                                                                         false,
		"# Mail\n\nArchived, compressed and sent in a minute.\n":                                                                                            false,
		"# Mail\n\nArchived mail is searched as well.\n":                                                                                                    false,
		"# Mail\n\n- Archived, compressed and sent\n- Deprecated headers are removed\n":                                                                     false,
		"# Mail\n\n> [!WARNING]\n> Version 1 is deprecated.\n":                                                                                              false,
		"# Mail\n\n> [!CAUTION]\n> The legacy package `mail-old` has moved to `mail`.\n":                                                                    false,
		"# Mail\n\n> [!NOTE]\n> The docs have moved to [docs](https://docs.dev).\n":                                                                         false,
		"# Mail\n\n> [!NOTE]\n> The configuration file has moved to `~/.config/mail`.\n":                                                                    false,
		"# Mail\n\n> The server has moved to streamable HTTP.\n":                                                                                            false,
		"# Mail\n\n> This project has moved to pnpm.\n":                                                                                                     false,
		"# Mail\n\n> The project has moved to src/server.\n":                                                                                                false,
		"# Mail\n\n> This server is maintained by Acme.\n":                                                                                                  false,
		"# Mail\n\n> Fork of an unmaintained project.\n":                                                                                                    false,
		"# Mail\n\nA maintained fork of X, which is no longer maintained by its author.\n":                                                                  false,
		"# Mail\n\nThis is a fork of [x](https://github.com/x/x), which is no longer maintained.\n":                                                         false,
		"# Mail\n\nThe original project is no longer maintained.\n":                                                                                         false,
		"# Mail\n\nThe original repository has been archived.\n":                                                                                            false,
		"# Mail\n\n> [!IMPORTANT]\n> The upstream repo has moved to https://github.com/a/b.\n":                                                              false,
		"# Mail\n\nSince the original server is deprecated, this one was made.\n":                                                                           false,
		"# Mail\n\nThe package `mail` on npm is deprecated, use this one.\n":                                                                                false,
		"# Mail\n\n![Tools deprecated](https://img.shields.io/badge/old_tools-deprecated-red)\n":                                                            false,
		"# Mail\n\n![](https://img.shields.io/badge/node_16-deprecated-red)\n":                                                                              false,
		"# Mail\n\n![](https://img.shields.io/static/v1?label=node%2016&message=deprecated)\n":                                                              false,
		"# Mail\n\n# Deprecation warnings\n\nThe server prints them.\n":                                                                                     false,
		"# Mail\n\n## Deprecation\n\nTools are deprecated for two releases before removal.\n":                                                               false,
		"# Mail\n\n## Sunset notice\n\nGmail ends its support of passwords.\n":                                                                              false,
		"# Mail\n\n## Deprecated\n\nNode 16 reaches end of life in March.\n":                                                                                false,
		"# Mail\n\n## Archived\n\nClaude Desktop drops SSE in June.\n":                                                                                      false,
		"# Mail\n\n## Deprecated tools\n\nOld ones.\n":                                                                                                      false,
		"# Mail\n\n## Deprecated\n\nUse [Shore](https://shore.dev) instead.\n":                                                                              true,
		"# Mail\n\n## Project status: archived\n\nText\n":                                                                                                   true,
		"# Mail\n\n## Status\n\nUnmaintained.\n":                                                                                                            true,
		"# Mail\n\n## Status\n\nThis project is no longer maintained.\n":                                                                                    true,
		"# Mail\n\n**Status:** Deprecated\n":                                                                                                                true,
		"# Mail\n\n**Project Status: 🔴 Archived**\n":                                                                                                        true,
		"# Mail\n\n⛔️ DEPRECATED ⛔️\n":                                                                                                                      true,
		"# Mail\n\n*Deprecated, use Shore*\n":                                                                                                               true,
		"# Mail\n\n> Note: this repository is no longer maintained by the original author.\n":                                                               true,
		"# Mail\n\nThis repo is not maintained anymore, feel free to fork it.\n":                                                                            true,
		"# Mail\n\nI don't maintain this project any more.\n":                                                                                               true,
		"# Mail\n\nThis project is dead.\n":                                                                                                                 true,
		"# Mail\n\n> 🚧 This repository has been moved to [acme/shore](https://github.com/acme/shore) 🚧\n":                                                   true,
		"# Mail\n\n### This repository has moved to https://github.com/acme/shore\n":                                                                        true,
		"# Mail\n\n> **Warning**\n> This repository is deprecated. All development has moved to https://github.com/acme/shore.\n":                           true,
		"# Mail\n\n> We've moved! The new repository is https://github.com/acme/shore.\n":                                                                   true,
		"# Mail\n\n> We've moved to https://github.com/acme/shore\n":                                                                                        true,
		"# Mail [Unmaintained]\n\nText\n":                                                                                                                   true,
		"# Mail — UNMAINTAINED\n\nText\n":                                                                                                                   true,
		"# [MOVED] Mail\n\nNow at https://github.com/acme/shore\n":                                                                                          true,
		"# Mail (MOVED)\n\nText\n":                                                                                                                          true,
		"# Mail (已停止维护)\n\nText\n":                                                                                                                          true,
		"# Mail\n\n> ⚠️ 该仓库已迁移至 [acme/shore](https://github.com/acme/shore)\n":                                                                              true,
		"# Mail\n\n> ⚠️ 本项目不再维护\n":                                                                                                                          true,
		"# Mail\n\n> このリポジトリは更新を停止しました。\n":                                                                                                                  true,
		"# Mail\n\n> 本プロジェクトは開発終了です。\n":                                                                                                                     true,
		"# Mail\n\n> 이 저장소는 더 이상 사용되지 않습니다.\n":                                                                                                              true,
		"# Mail\n\n> Este projeto foi descontinuado.\n":                                                                                                     true,
		"# Mail\n\n> Este repositorio ha sido archivado.\n":                                                                                                 true,
		"# Mail\n\n> Este repositorio se ha movido a https://github.com/acme/shore\n":                                                                       true,
		"# Mail\n\n> Ce projet est archivé.\n":                                                                                                              true,
		"# Mail\n\n> Ce dépôt a été déplacé vers https://github.com/acme/shore.\n":                                                                          true,
		"# Mail\n\n> Dieses Projekt wurde eingestellt.\n":                                                                                                   true,
		"# Mail\n\n> Questo repository è stato archiviato e non è più mantenuto.\n":                                                                         true,
		"# Mail\n\n> Dit project is verouderd.\n":                                                                                                           true,
		"# Mail\n\n> Данный проект больше не развивается.\n":                                                                                                true,
		"# Mail\n\n> Репозиторий переехал на https://github.com/acme/shore\n":                                                                               true,
		"# Mail\n\n> Dieser Server archiviert Mails.\n":                                                                                                     false,
		"# Mail\n\n> Este servidor mueve archivos a otra carpeta.\n":                                                                                        false,
		"# Mail\n\n> Este proyecto fue migrado a TypeScript.\n":                                                                                             false,
		"# Mail\n\n> 本项目已迁移至 TypeScript。\n":                                                                                                                 false,
		"# Mail\n\n> このプロジェクトは TypeScript に移行しました。\n":                                                                                                       false,
		"# Mail\n\n> このサーバーは古いメールをアーカイブしています。\n":                                                                                                            false,
		"# Mail\n\n> 이 서버는 메일을 보관했습니다.\n":                                                                                                                   false,
		"# Mail\n\n> 本服务器已停止支持 SSE。\n":                                                                                                                      false,
		"# Mail\n\n> Ce serveur n'est plus limité à un compte.\n":                                                                                           false,
		"# Mail\n\n> Este servidor está archivado, comprimido y enviado.\n":                                                                                 false,
		"# Mail\n\n> Das Paket wird archiviert, komprimiert und gesendet.\n":                                                                                false,
		"# Mail\n\n> SSE is old, we do not support it.\n":                                                                                                   false,
		"# Mail\n\n> We no longer support it on Windows.\n":                                                                                                 false,
	} {
		if d := parse(t, text); (d.Deprecation == DeprecationDeclared) != want {
			t.Errorf("%q: got %q, want declared %v", text, d.DeprecationText, want)
		}
	}
}

// TestBadges checks badges that state the project's status, by URL and by alternative text.
func TestBadges(t *testing.T) {
	for badge, want := range map[string]bool{
		"![](https://www.repostatus.org/badges/latest/unsupported.svg)":                     true,
		"![](https://www.repostatus.org/badges/2.0.0/moved.svg)":                            true,
		"![](https://www.repostatus.org/badges/latest/active.svg)":                          false,
		"![](https://www.repostatus.org/badges/latest/wip.svg)":                             false,
		"![](https://lifecycle.r-lib.org/articles/figures/lifecycle-superseded.svg)":        true,
		"![](https://img.shields.io/badge/status-deprecated-red)":                           true,
		"![](https://img.shields.io/badge/project%20status-no_longer_maintained-red.svg)":   true,
		"![](https://img.shields.io/badge/Maintained%3F-no-red.svg)":                        true,
		"![](https://img.shields.io/badge/Maintained%3F-yes-green.svg)":                     false,
		"![](https://img.shields.io/badge/DEPRECATED-red)":                                  true,
		"![](https://img.shields.io/badge/SSE-deprecated-orange)":                           false,
		"![](https://img.shields.io/badge/license-MIT-green)":                               false,
		"![](http://unmaintained.tech/badge.svg)":                                           true,
		"![Status: archived](state.svg)":                                                    true,
		"![Deprecated](state.svg)":                                                          true,
		"![Deprecated tools](tools.svg)":                                                    false,
		`<img alt="Project Status: Abandoned" src="state.svg">`:                             true,
		"| Old | ![Deprecated](state.svg) |\n|---|---|\n| Old | ![Deprecated](state.svg) |": false,
	} {
		if got := parse(t, "# Tides\n\n"+badge+"\n\nThe tides.\n").Deprecation; (got != "") != want {
			t.Errorf("%s: got %q, want declared %v", badge, got, want)
		}
	}
}
