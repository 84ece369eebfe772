/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_TAKT_HPP
#define TAKT_TAKT_HPP

#include "takt/ceiling.h"
#include "takt/condition.h"
#include "takt/mutex.h"

/*
 * For C++: critical sections that end with their scope, and monitors, objects whose methods are sections of one mutex
 * (seed 000, 5.2). No instruction more than the calls of C (tests/goldens/test_cxx.py). Each call has the contract of
 * the one in C that it makes.
 */
namespace takt
{
#define TAKTI_CALL __attribute__((always_inline)) inline

namespace detail
{
TAKTI_CALL takt_status lock(takt_mutex &mutex)
{
    return takt_mutex_lock(&mutex);
}

TAKTI_CALL takt_status lock_until(takt_mutex &mutex, uint64_t until_ns)
{
    return takt_mutex_lock_until(&mutex, until_ns);
}

TAKTI_CALL void unlock(takt_mutex &mutex)
{
    takt_mutex_unlock(&mutex);
}

TAKTI_CALL takt_status lock(takt_ceiling &ceiling)
{
    return takt_ceiling_lock(&ceiling);
}

TAKTI_CALL takt_status lock_until(takt_ceiling &ceiling, uint64_t until_ns)
{
    return takt_ceiling_lock_until(&ceiling, until_ns);
}

TAKTI_CALL void unlock(takt_ceiling &ceiling)
{
    takt_ceiling_unlock(&ceiling);
}
} // namespace detail

/*
 * A section of a mutex or ceiling, to the end of the scope: `takt::Section section(data); if (!section) { ... }`. It is
 * false if the lock returned another status than TAKT_OK; then nothing is unlocked.
 */
template <class Lock> class [[nodiscard]] Section
{
  public:
    TAKTI_CALL explicit Section(Lock &lock) : lock_(lock), status_(detail::lock(lock))
    {
    }

    /* As lock_until: TAKT_TIMEOUT at `until_ns`, absolute. */
    TAKTI_CALL Section(Lock &lock, uint64_t until_ns) : lock_(lock), status_(detail::lock_until(lock, until_ns))
    {
    }

    TAKTI_CALL ~Section()
    {
        if (status_ == TAKT_OK) {
            detail::unlock(lock_);
        }
    }

    Section(const Section &) = delete;
    Section &operator=(const Section &) = delete;

    TAKTI_CALL explicit operator bool() const
    {
        return status_ == TAKT_OK;
    }

    TAKTI_CALL takt_status status() const
    {
        return status_;
    }

    /* Of a mutex: as takt_condition_wait. After TAKT_DELETED and TAKT_OWNER_DIED the section is over. */
    TAKTI_CALL takt_status wait(takt_condition &condition)
    {
        return waited(takt_condition_wait(&condition, &lock_));
    }

    TAKTI_CALL takt_status wait_until(takt_condition &condition, uint64_t until_ns)
    {
        return waited(takt_condition_wait_until(&condition, &lock_, until_ns));
    }

  private:
    TAKTI_CALL takt_status waited(takt_status status)
    {
        if (status == TAKT_DELETED || status == TAKT_OWNER_DIED) {
            status_ = status;
        }
        return status;
    }

    Lock &lock_;
    takt_status status_;
};

/*
 * An object that is reached through its mutex or ceiling alone: `takt::Monitor<Account, data> account;`. A static one
 * is a constant of the image if the object's constructor is constexpr, and then it is possible in processes.
 */
template <class Object, auto &lock> class Monitor
{
    using Lock = __typeof__(lock);

  public:
    template <class... Values> constexpr explicit Monitor(const Values &...values) : object_{values...}
    {
    }

    /* The object in a section: `if (auto entry = account.enter()) { entry->pay(3); }` */
    class [[nodiscard]] Entry : public Section<Lock>
    {
      public:
        TAKTI_CALL explicit Entry(Object &object) : Section<Lock>(lock), object_(object)
        {
        }

        TAKTI_CALL Entry(Object &object, uint64_t until_ns) : Section<Lock>(lock, until_ns), object_(object)
        {
        }

        TAKTI_CALL Object *operator->() const
        {
            return &object_;
        }

        TAKTI_CALL Object &operator*() const
        {
            return object_;
        }

      private:
        Object &object_;
    };

    TAKTI_CALL Entry enter()
    {
        return Entry(object_);
    }

    TAKTI_CALL Entry enter_until(uint64_t until_ns)
    {
        return Entry(object_, until_ns);
    }

    /* Calls `function` with the object, in a section. TAKT_OK, or what the lock returned; then nothing was called. */
    template <class Function> TAKT_MUST_USE TAKTI_CALL takt_status call(Function &&function)
    {
        Section<Lock> section(lock);
        if (section) {
            function(object_);
        }
        return section.status();
    }

  private:
    Object object_;
};

#undef TAKTI_CALL
} // namespace takt

#endif
