package readme

import (
	"testing"
)

func TestSummary(t *testing.T) {
	const want = "Forecasts the tides for every harbour of the coast."
	for name, text := range map[string]string{
		"first paragraph":        "# Tides\n\n" + want + "\n\nMore of it in this second paragraph.\n",
		"after badges":           "# Tides\n\n[![npm version](https://b.dev/i.svg)](https://b.dev) [![License: MIT](https://b.dev/l.svg)](https://b.dev)\n\n" + want + "\n",
		"after linked words":     "# Tides\n\n[Documentation](https://d.dev) [Website](https://w.dev) [Discord server](https://c.dev)\n\n" + want + "\n",
		"after a bar":            "# Tides\n\n[English](README.md) | [中文](README.zh.md) | [Español](README.es.md) | [Deutsch](README.de.md)\n\n" + want + "\n",
		"after a bar of anchors": "# Tides\n\n✨ Features | 🚀 Getting Started | 🎥 Demos | ⚙️ Configuration | 🛠️ Tools\n\n" + want + "\n",
		"after an install line":  "# Tides\n\nnpm install -g tides-of-the-coast-server\n\n" + want + "\n",
		"after a sponsor":        "# Tides\n\nThis project is proudly sponsored by the harbour of the town.\n\n" + want + "\n",
		"after a definition":     "# Tides\n\nThe Model Context Protocol (MCP) is an open standard that connects models with tools and data.\n\n" + want + "\n",
		"after HTML badges":      "# Tides\n\n<p align=\"center\"><a href=\"https://b.dev\"><img src=\"https://b.dev/i.svg\" alt=\"Dice\"></a> <a href=\"https://d.dev\">Docs and guides</a> · <a href=\"https://e.dev\">Examples of use</a></p>\n\n" + want + "\n",
		"after an instruction":   "# Tides\n\nConfigure the server under Settings, where the port is.\n\n" + want + "\n",
		"after its result":       "# Tides\n\nThis will create the program in a folder of builds.\n\n" + want + "\n",
		"after a question":       "# Tides\n\nDo you just want to read it? => https://tides.dev/read\n\n" + want + "\n",
		"before a list":          "# Tides\n\n" + want + " It reads, such as:\n\n- Tables (of all the harbours)\n",
		"after a slogan":         "# Tides\n\n**All tides.dev has, right in your chat!**\n\n" + want + "\n",
		"in HTML":                "<div align=\"center\">\n<h1>Tides</h1>\n<p>" + want + "</p>\n<p><a href=\"a\">Install</a> • <a href=\"b\">Use</a> • <a href=\"c\">Ask the makers</a></p>\n</div>\n\n## Install\n\nRun this in the shell of your choice.\n",
		"in a quotation":         "# Tides\n\n> " + want + "\n\n## Installation\n\nPut the program into a folder of the path.\n",
		"in the first list":      "## Tides\n\n- " + want + "\n\n  1. It reads the tables of all harbours.\n\n## Model Context Protocol (MCP)\n\n**Model Context Protocol (MCP)** MCP (Model Context Protocol) is an open protocol for tools.\n",
		"under overview":         "# Tides\n\n## Installation\n\nPut the program into a folder of the path.\n\n## Overview\n\n" + want + "\n",
		"AsciiDoc":               "= Tides\n:toc:\n\nimage:https://b.dev/i.svg[Build,link=https://b.dev]\n\n" + want + "\n\n== Install\n\n[source,json]\n----\n{\"mcpServers\": {\"tides\": {\"command\": \"npx\", \"args\": [\"tides-mcp\"]}}}\n----\n",
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, want, parse(t, text).Summary)
		})
	}
	for name, text := range map[string]string{
		"only install": "# Tides\n\n## Installation\n\nPut the program into a folder of the path.\n",
		"no title":     "## Installation\n\nPut the program into a folder of the path.\n",
		"only badges":  "# Tides\n\n[![Build status of the main branch](https://b.dev/i.svg)](https://b.dev)\n",
		"empty":        "",
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, "", parse(t, text).Summary)
		})
	}
}
