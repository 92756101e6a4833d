/** Parameters of requests. */
package org.mcpcensus.census.params;
