package io.weir.spring.method;

import java.lang.reflect.Method;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Detects test doubles. */
public final class Mocks {
  private static final String MOCKITO = "org.mockito.Mockito";
  private static final String DETAILS = "org.mockito.MockingDetails";

  private Mocks() {}

  /** Whether it is a Mockito mock, which may have the class of the mocked bean. */
  public static boolean isMock(Object bean) {
    ClassLoader classes = bean.getClass().getClassLoader();
    if (!ClassUtils.isPresent(MOCKITO, classes)) {
      return false;
    }
    Method details =
        ReflectionUtils.findMethod(
            ClassUtils.resolveClassName(MOCKITO, classes), "mockingDetails", Object.class);
    Method isMock =
        ReflectionUtils.findMethod(ClassUtils.resolveClassName(DETAILS, classes), "isMock");
    return details != null
        && isMock != null
        && Boolean.TRUE.equals(
            ReflectionUtils.invokeMethod(
                isMock, ReflectionUtils.invokeMethod(details, null, bean)));
  }
}
