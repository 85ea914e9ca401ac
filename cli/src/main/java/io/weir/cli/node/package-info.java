/**
 * A client of a running node's admin port, and the parsing of its responses.
 *
 * <p>Used by the commands. Depends on the admin port's responses only, and on no class of the
 * server.
 */
@NullMarked
package io.weir.cli.node;

import org.jspecify.annotations.NullMarked;
