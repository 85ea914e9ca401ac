package io.weir.cli;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Reads an option's default from its environment variable: {@code --admin-port} is {@code
 * WEIR_ADMIN_PORT}.
 */
record EnvironmentDefaults(Map<String, String> environment) implements IDefaultValueProvider {
  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
      return null;
    }
    return environment.get(nameFor(option.longestName()));
  }

  private static String nameFor(String option) {
    return "WEIR_" + option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
