package org.mcpcensus.census.params;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Conditions on servers; all must match. Conditions are {@link Condition}s; strings, numbers and
 * Booleans must be equal.
 */
public final class Filters {
    private final Map<String, Condition> conditions;

    private Filters(Builder builder) {
        this.conditions = Collections.unmodifiableMap(new LinkedHashMap<>(builder.conditions));
    }

    /** Returns a builder without conditions. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the conditions by field name, in the format of the API. */
    public Map<String, Object> toMap() {
        Map<String, Object> form = new LinkedHashMap<>();
        conditions.forEach((name, condition) -> form.put(name, condition.value()));
        return form;
    }

    /** Returns the conditions in the format of the API. */
    @Override
    public String toString() {
        return "Filters" + toMap();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Filters && conditions.equals(((Filters) other).conditions);
    }

    @Override
    public int hashCode() {
        return conditions.hashCode();
    }

    /** Builds Filters. */
    public static final class Builder {
        private final Map<String, Condition> conditions = new LinkedHashMap<>();

        private Builder() {}

        private Builder field(String field, Condition condition) {
            conditions.put(field, Objects.requireNonNull(condition, field));
            return this;
        }

        /** Condition on {@code category}: see {@link org.mcpcensus.census.model.Category}. */
        public Builder category(Condition condition) {
            return field("category", condition);
        }

        /** Requires {@code category} to equal the value. */
        public Builder category(CategoryParam value) {
            return field("category", Condition.is(value.toString()));
        }

        /** Condition on {@code sdk}: see {@link org.mcpcensus.census.model.Sdk}. */
        public Builder sdk(Condition condition) {
            return field("sdk", condition);
        }

        /** Requires {@code sdk} to equal the value. */
        public Builder sdk(SdkParam value) {
            return field("sdk", Condition.is(value.toString()));
        }

        /** Condition on {@code language}. */
        public Builder language(Condition condition) {
            return field("language", condition);
        }

        /** Requires {@code language} to equal the value. */
        public Builder language(String value) {
            return field("language", Condition.is(value));
        }

        /** Condition on {@code framework}. */
        public Builder framework(Condition condition) {
            return field("framework", condition);
        }

        /** Requires {@code framework} to equal the value. */
        public Builder framework(String value) {
            return field("framework", Condition.is(value));
        }

        /** Condition on {@code tags}. */
        public Builder tags(Condition condition) {
            return field("tags", condition);
        }

        /** Requires {@code tags} to equal the value. */
        public Builder tags(String value) {
            return field("tags", Condition.is(value));
        }

        /** Condition on {@code license}. */
        public Builder license(Condition condition) {
            return field("license", condition);
        }

        /** Requires {@code license} to equal the value. */
        public Builder license(String value) {
            return field("license", Condition.is(value));
        }

        /** Condition on {@code transport}: see {@link org.mcpcensus.census.model.Transport}. */
        public Builder transport(Condition condition) {
            return field("transport", condition);
        }

        /** Requires {@code transport} to equal the value. */
        public Builder transport(String value) {
            return field("transport", Condition.is(value));
        }

        /** Condition on {@code type}: remote or package. */
        public Builder type(Condition condition) {
            return field("type", condition);
        }

        /** Requires {@code type} to equal the value. */
        public Builder type(String value) {
            return field("type", Condition.is(value));
        }

        /** Condition on {@code liveness}: see {@link org.mcpcensus.census.model.ServerLiveness}. */
        public Builder liveness(Condition condition) {
            return field("liveness", condition);
        }

        /** Requires {@code liveness} to equal the value. */
        public Builder liveness(String value) {
            return field("liveness", Condition.is(value));
        }

        /** Condition on {@code risks}, which are compared by kind. */
        public Builder risks(Condition condition) {
            return field("risks", condition);
        }

        /** Requires {@code risks} to contain the kind. */
        public Builder risks(String value) {
            return field("risks", Condition.is(value));
        }

        /** Condition on {@code effect}. */
        public Builder effect(Condition condition) {
            return field("effect", condition);
        }

        /** Requires {@code effect} to equal the value. */
        public Builder effect(String value) {
            return field("effect", Condition.is(value));
        }

        /** Condition on {@code readOnly}. */
        public Builder readOnly(Condition condition) {
            return field("readOnly", condition);
        }

        /** Requires {@code readOnly} to equal the value. */
        public Builder readOnly(boolean value) {
            return field("readOnly", Condition.is(value));
        }

        /** Condition on {@code secrets}. */
        public Builder secrets(Condition condition) {
            return field("secrets", condition);
        }

        /** Requires {@code secrets} to equal the value. */
        public Builder secrets(boolean value) {
            return field("secrets", Condition.is(value));
        }

        /** Condition on {@code registryType}. */
        public Builder registryType(Condition condition) {
            return field("registryType", condition);
        }

        /** Requires {@code registryType} to equal the value. */
        public Builder registryType(String value) {
            return field("registryType", Condition.is(value));
        }

        /** Condition on {@code owner}. */
        public Builder owner(Condition condition) {
            return field("owner", condition);
        }

        /** Requires {@code owner} to equal the value. */
        public Builder owner(String value) {
            return field("owner", Condition.is(value));
        }

        /** Condition on {@code source}. */
        public Builder source(Condition condition) {
            return field("source", condition);
        }

        /** Requires {@code source} to equal the value. */
        public Builder source(String value) {
            return field("source", Condition.is(value));
        }

        /** Condition on {@code status}: see {@link org.mcpcensus.census.model.Status}. */
        public Builder status(Condition condition) {
            return field("status", condition);
        }

        /** Requires {@code status} to equal the value. */
        public Builder status(String value) {
            return field("status", Condition.is(value));
        }

        /** Condition on {@code grade}: see {@link org.mcpcensus.census.model.Grade}. */
        public Builder grade(Condition condition) {
            return field("grade", condition);
        }

        /** Requires {@code grade} to equal the value. */
        public Builder grade(String value) {
            return field("grade", Condition.is(value));
        }

        /** Condition on {@code tools}. */
        public Builder tools(Condition condition) {
            return field("tools", condition);
        }

        /** Requires {@code tools} to equal the value. */
        public Builder tools(String value) {
            return field("tools", Condition.is(value));
        }

        /** Condition on {@code official}. */
        public Builder official(Condition condition) {
            return field("official", condition);
        }

        /** Requires {@code official} to equal the value. */
        public Builder official(boolean value) {
            return field("official", Condition.is(value));
        }

        /** Condition on {@code verified}. */
        public Builder verified(Condition condition) {
            return field("verified", condition);
        }

        /** Requires {@code verified} to equal the value. */
        public Builder verified(boolean value) {
            return field("verified", Condition.is(value));
        }

        /** Condition on {@code copy}. */
        public Builder copy(Condition condition) {
            return field("copy", condition);
        }

        /** Requires {@code copy} to equal the value. */
        public Builder copy(boolean value) {
            return field("copy", Condition.is(value));
        }

        /** Condition on {@code archived}. */
        public Builder archived(Condition condition) {
            return field("archived", condition);
        }

        /** Requires {@code archived} to equal the value. */
        public Builder archived(boolean value) {
            return field("archived", Condition.is(value));
        }

        /** Condition on {@code qualityScore}. */
        public Builder qualityScore(Condition condition) {
            return field("qualityScore", condition);
        }

        /** Requires {@code qualityScore} to equal the value. */
        public Builder qualityScore(long value) {
            return field("qualityScore", Condition.is(value));
        }

        /** Requires a health score of at least the value. */
        public Builder minScore(long value) {
            return field("minScore", Condition.is(value));
        }

        /** Condition on {@code popularity}. */
        public Builder popularity(Condition condition) {
            return field("popularity", condition);
        }

        /** Requires {@code popularity} to equal the value. */
        public Builder popularity(long value) {
            return field("popularity", Condition.is(value));
        }

        /** Condition on {@code stars}. */
        public Builder stars(Condition condition) {
            return field("stars", condition);
        }

        /** Requires {@code stars} to equal the value. */
        public Builder stars(long value) {
            return field("stars", Condition.is(value));
        }

        /** Condition on {@code downloads}. */
        public Builder downloads(Condition condition) {
            return field("downloads", condition);
        }

        /** Requires {@code downloads} to equal the value. */
        public Builder downloads(long value) {
            return field("downloads", Condition.is(value));
        }

        /** Condition on {@code toolCount}. */
        public Builder toolCount(Condition condition) {
            return field("toolCount", condition);
        }

        /** Requires {@code toolCount} to equal the value. */
        public Builder toolCount(long value) {
            return field("toolCount", Condition.is(value));
        }

        /** Condition on {@code toolTokens}. */
        public Builder toolTokens(Condition condition) {
            return field("toolTokens", condition);
        }

        /** Requires {@code toolTokens} to equal the value. */
        public Builder toolTokens(long value) {
            return field("toolTokens", Condition.is(value));
        }

        /** Condition on {@code updatedAt}. */
        public Builder updatedAt(Condition condition) {
            return field("updatedAt", condition);
        }

        /** Condition on {@code createdAt}. */
        public Builder createdAt(Condition condition) {
            return field("createdAt", condition);
        }

        /** Returns the filters. The builder can be reused. */
        public Filters build() {
            return new Filters(this);
        }
    }
}
