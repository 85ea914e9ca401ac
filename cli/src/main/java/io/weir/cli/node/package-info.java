/**
 * A running node, as it is known by its admin port: how it is asked, and how its answers are read.
 *
 * <p>Called by the commands. Knows the admin port by what it answers, and nothing of the server.
 */
@NullMarked
package io.weir.cli.node;

import org.jspecify.annotations.NullMarked;
