package manifest

import "testing"

func TestSPDX(t *testing.T) {
	for in, want := range map[string]string{
		"MIT":                         "MIT",
		"mit":                         "MIT",
		"The MIT License":             "MIT",
		"MIT License (Expat)":         "MIT",
		"The MIT License (MIT)":       "MIT",
		"MIT No Attribution":          "MIT-0",
		"Apache License, Version 2.0": "Apache-2.0",
		"Apache 2":                    "Apache-2.0",
		"apache-2.0":                  "Apache-2.0",
		"The Apache Software License, Version 2.0": "Apache-2.0",
		"ASL 2.0": "Apache-2.0",
		"GPL v3":  "GPL-3.0",
		"GPLv2":   "GPL-2.0",
		"GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
		"GPL-2.0-only":                           "GPL-2.0-only",
		"GNU Affero General Public License v3":   "AGPL-3.0",
		"agplv3":                                 "AGPL-3.0",
		"GNU Lesser General Public License v2.1": "LGPL-2.1",
		"LGPL-3.0-or-later":                      "LGPL-3.0-or-later",
		"BSD":                                    "BSD-3-Clause",
		"BSD-2-Clause":                           "BSD-2-Clause",
		"BSD 3-Clause \"New\" License":           "BSD-3-Clause",
		"Simplified BSD License":                 "BSD-2-Clause",
		"0BSD":                                   "0BSD",
		"ISC License (ISCL)":                     "ISC",
		"Mozilla Public License 2.0 (MPL 2.0)":   "MPL-2.0",
		"Eclipse Public License 1.0":             "EPL-1.0",
		"The Unlicense (Unlicense)":              "Unlicense",
		"Boost Software License 1.0":             "BSL-1.0",
		"Business Source License 1.1":            "BUSL-1.1",
		"BUSL-1.1":                               "BUSL-1.1",
		"Elastic License 2.0":                    "Elastic-2.0",
		"MIT OR Apache-2.0":                      "MIT OR Apache-2.0",
		"FSL-1.1-MIT":                            "FSL-1.1-MIT",
		"SEE LICENSE IN LICENSE.md":              "",
		"UNLICENSED":                             "",
		"file: LICENSE":                          "",
		"":                                       "",
		"{text}":                                 "",
		"Proprietary":                            "",
		"Free for members of the club":           "",
	} {
		if got := SPDX(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestLicenseTitle(t *testing.T) {
	for in, want := range map[string]string{
		"MIT License\n\nCopyright (c) 2026 Tides\n":                                         "MIT",
		"The MIT License (MIT)\n=====================\n\nCopyright":                         "MIT",
		"\n                    Apache License\n              Version 2.0, January 2004\n\n": "Apache-2.0",
		"GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3, 19 November 2007\n":                  "AGPL-3.0",
		"# BSD 2-Clause License\n":                                                          "BSD-2-Clause",
		"Tides Terms of Use\n\nUnlike the MIT License, these terms":                         "",
		"Copyright 2026 Tides. All rights reserved. Not under the Apache License.":          "",
		"": "",
	} {
		if got := LicenseTitle([]byte(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
