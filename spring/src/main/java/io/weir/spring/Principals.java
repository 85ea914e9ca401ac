package io.weir.spring;

import java.security.Principal;
import org.jspecify.annotations.Nullable;

/** Who has logged in. */
final class Principals {
  private static final String ANONYMOUS =
      "org.springframework.security.authentication.AnonymousAuthenticationToken";

  private Principals() {}

  /**
   * The name of a user; null if nobody has logged in, also where Spring Security has a principal
   * for nobody.
   */
  static @Nullable String name(@Nullable Principal principal) {
    return principal == null || isAnonymous(principal) ? null : principal.getName();
  }

  /** By name, since an application may do without Spring Security. */
  private static boolean isAnonymous(Principal principal) {
    for (Class<?> type = principal.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals(ANONYMOUS)) {
        return true;
      }
    }
    return false;
  }
}
