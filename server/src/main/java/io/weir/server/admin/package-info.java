/**
 * The admin port: metrics, health, rules and keys.
 *
 * <p>Uses http and the decision path, and none of the other front ends.
 */
@NullMarked
package io.weir.server.admin;

import org.jspecify.annotations.NullMarked;
