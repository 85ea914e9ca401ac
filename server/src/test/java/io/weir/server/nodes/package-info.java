/** Several nodes of Weir in processes of their own, and those who ask them. */
package io.weir.server.nodes;
