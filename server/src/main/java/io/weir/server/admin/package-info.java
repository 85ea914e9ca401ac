/**
 * The admin port: metrics, health, rules and keys.
 *
 * <p>Calls http and the decision path. Knows no other front.
 */
@NullMarked
package io.weir.server.admin;

import org.jspecify.annotations.NullMarked;
